// The loss, and the projection to the vocabulary before it. A block of logits becomes its own
// gradient (core/ops/token_loss.h), so those of x and w are formed in the forward pass, block by
// block, and only scaled in the backward pass: all the logits never exist together.

#include "core/blas.h"
#include "core/logit_block.h"
#include "core/ops/row_sums.h"
#include "core/ops/token_loss.h"
#include "core/parallel.h"
#include "core/simd.h"

namespace calque {
namespace {

// to (+)= scale from
void scale_into(Sink to, const real* from, int64_t size, real scale) {
  parallel_for(size, 32768, [&](int64_t b, int64_t e) {
    map_into(
        e - b, to.data + b, to.add, [=](Vec v) { return v * scale; }, from + b);
  });
}

// A block of logits, in memory that serves every block in turn. Rows are an odd number of cache
// lines apart, whatever the vocabulary: whole ones, so that no vector lies across two of them, and
// odd, so that a column's numbers do not all compete for the same few places of the caches.
struct LogitBlock {
  LogitBlock(int64_t most_rows, int64_t vocabulary_size)
      : vocabulary(vocabulary_size),
        stride(round_up(vocabulary) | lanes),
        numbers(most_rows * stride) {}
  LogitRows rows() { return {numbers.data(), vocabulary, stride}; }
  Matrix matrix(int64_t row_count) const { return {numbers.data(), row_count, vocabulary, stride}; }
  int64_t vocabulary, stride;
  Buffer<real> numbers;
};

// Calls use(logits, first row, rows) for every block of x w^T + b.
template <class Use>
void for_logits(const Tensor& x, const Tensor& w, const Tensor& b, Use&& use) {
  const int64_t vocabulary = w.rows(), d = w.cols(), most = logit_block_rows(vocabulary);
  LogitBlock logits(std::min(most, x.rows()), vocabulary);
  for (int64_t first = 0; first < x.rows(); first += most) {
    const int64_t rows = std::min(most, x.rows() - first);
    gemm({x.data() + first * d, rows, d}, transposed({w.data(), vocabulary, d}),
         {logits.numbers.data(), false}, 1, logits.stride, {.bias = b ? b.data() : nullptr});
    use(logits, first, rows);
  }
}

// Gradients formed in the forward pass, for a loss whose own gradient is 1.
struct Formed {
  Gradient x;
  Values w, b;
};

// Adds a block's part of the gradients: dx = g w, dw += g^T x, db += the sum of the rows of g.
void form(const Formed& formed, const Tensor& x, const Tensor& w, const LogitBlock& g,
          int64_t first, int64_t rows) {
  const int64_t d = w.cols();
  const Matrix block = g.matrix(rows);
  if (formed.x) {
    gemm(block, {w.data(), g.vocabulary, d}, Sink{formed.x.scratch() + first * d, false});
  }
  if (formed.w) {
    gemm(transposed(block), {x.data() + first * d, rows, d}, Sink{formed.w.data(), first > 0});
  }
  if (formed.b) {
    sum_over_rows<1>(rows, g.vocabulary, {Sink{formed.b.data(), first > 0}},
                     [&](int64_t begin, int64_t end, real* partial) {
                       for (int64_t r = begin; r < end; ++r) {
                         map_into(g.vocabulary, partial, true, as_it_is, block.data + r * g.stride);
                       }
                     });
  }
}

// The losses of all rows, and the gradients where there are to be some.
std::vector<RowLoss> losses_of(const Tensor& x, const Tensor& w, const Tensor& b,
                               std::span<const int32_t> expected, real smoothing,
                               const Formed* formed) {
  std::vector<RowLoss> losses(expected.size());
  for_logits(x, w, b, [&](LogitBlock& logits, int64_t first, int64_t rows) {
    const auto of_block = expected.subspan(static_cast<size_t>(first), static_cast<size_t>(rows));
    row_losses(logits.rows(), of_block, smoothing, formed != nullptr, losses.data() + first);
    if (formed) form(*formed, x, w, logits, first, rows);
  });
  return losses;
}

void check_projection(const char* op, const Tensor& x, const Tensor& w, const Tensor& b) {
  require(w.shape().axes() == 2 && x.cols() == w.cols() && w.rows() > 0, "{}: x is {} but w is {}",
          op, x.shape(), w.shape());
  require(!b || b.shape() == Shape{w.rows()}, "{}: w is {} but b is {}", op, w.shape(), b.shape());
}

}  // namespace

TokenLoss projected_cross_entropy(const Tensor& x, const Tensor& w, const Tensor& b,
                                  std::span<const int32_t> expected, real smoothing) {
  check_projection("projected_cross_entropy", x, w, b);
  check_expected("projected_cross_entropy", x.shape(), w.rows(), expected, smoothing);
  const bool wanted = recording({&x, &w, &b});
  Formed formed;
  if (wanted && x.gradient()) {
    formed.x = Gradient::of_size(x.size(), 0);
    formed.x.open();
  }
  if (wanted && w.gradient())
    formed.w = x.rows() ? Values(w.size()) : Tensor::zeros(w.shape()).values();
  if (wanted && b && b.gradient()) formed.b = Tensor::zeros(b.shape()).values();
  TokenLoss result = sum_of(losses_of(x, w, b, expected, smoothing, wanted ? &formed : nullptr));
  result.loss = record(
      "projected_cross_entropy", result.loss, {&x, &w, &b},
      [formed, dx = x.gradient(), dw = w.gradient(), db = b.gradient()](Gradient& dy) mutable {
        const real scale = *dy.data();
        const auto pass = [&](const Values& from, const Gradient& to) {
          if (from) scale_into(to.open(), from.data(), from.size(), scale);
        };
        pass(formed.w, dw);
        pass(formed.b, db);
        if (!formed.x) return;
        scale_into({formed.x.scratch(), false}, formed.x.data(), formed.x.size(), scale);
        dx.accept(formed.x);
      });
  return result;
}

TokenLoss cross_entropy(const Tensor& logits, std::span<const int32_t> expected, real smoothing) {
  check_expected("cross_entropy", logits.shape(), logits.cols(), expected, smoothing);
  const Tensor copy = Tensor::of(logits.shape(), logits.span());
  std::vector<RowLoss> rows(expected.size());
  row_losses({copy.data(), logits.cols(), logits.cols()}, expected, smoothing, true, rows.data());
  TokenLoss result = sum_of(rows);
  result.loss = record("cross_entropy", result.loss, {&logits},
                       [g = copy.values(), dx = logits.gradient()](Gradient& dy) {
                         scale_into(dx.open(), g.data(), g.size(), *dy.data());
                       });
  return result;
}

std::vector<real> log_probabilities(const Tensor& x, const Tensor& w, const Tensor& b,
                                    std::span<const int32_t> expected) {
  check_projection("log_probabilities", x, w, b);
  check_expected("log_probabilities", x.shape(), w.rows(), expected, 0);
  std::vector<real> result;
  for (const RowLoss& row : losses_of(x, w, b, expected, 0, nullptr)) {
    result.push_back(static_cast<real>(-row.nll));
  }
  return result;
}

}  // namespace calque
