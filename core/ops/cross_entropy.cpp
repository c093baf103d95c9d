// The loss, and the projection to the vocabulary before it. With p = softmax(logits) and the target
// distribution q = (1 - e) onehot + e / V, a token's loss is -sum_j q_j log p_j and its gradient by
// the logits p - q, so a block of logits can become its own gradient at once. The gradients of x
// and w are therefore formed in the forward pass, block by block, and only scaled in the backward
// pass: all the logits never exist together.

#include "core/blas.h"
#include "core/logit_block.h"
#include "core/ops.h"
#include "core/ops/row_sums.h"
#include "core/parallel.h"
#include "core/simd_math.h"

namespace calque {
namespace {

// What one token contributes.
struct Row {
  double loss = 0, nll = 0;
  bool correct = false;
};

// The maximum of a row and the sum of its numbers, in one pass.
struct Extent {
  real maximum;
  double total;
};

Extent extent_of(const real* x, int64_t size) {
  Vec most = broadcast(minus_infinity), total{};
  int64_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const Vec v = load(x + i);
    most = max(most, v);
    total += v;
  }
  Extent extent{maximum(most), sum(total)};
  for (; i < size; ++i) {
    extent.maximum = std::max(extent.maximum, x[i]);
    extent.total += x[i];
  }
  return extent;
}

// The sum of exp(x - m), and exp(x - m) in place of x.
real exponentiate(real* x, int64_t size, real m) {
  Vec total{};
  int64_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const Vec e = exp(load(x + i) - m);
    store(x + i, e);
    total += e;
  }
  real rest = 0;
  for (; i < size; ++i) rest += x[i] = std::exp(x[i] - m);
  return sum(total) + rest;
}

// The loss of one token; its logits become p, or p - q when the gradient is wanted.
Row row_loss(real* logits, int64_t vocabulary, int32_t expected, real smoothing, bool gradient) {
  const Extent extent = extent_of(logits, vocabulary);
  const real m = extent.maximum, right = logits[expected];
  Row row;
  row.correct = right == m && std::find(logits, logits + expected, m) == logits + expected;
  const real total = exponentiate(logits, vocabulary, m);
  const double normaliser = double(m) + std::log(double(total));  // log of the sum of exp
  const auto size = static_cast<double>(vocabulary);
  row.nll = normaliser - double(right);
  row.loss =
      (1 - double(smoothing)) * row.nll + double(smoothing) * (normaliser - extent.total / size);
  if (gradient) {
    const real share = 1 / total, everywhere = smoothing / static_cast<real>(vocabulary);
    map(
        vocabulary, logits, [=](Vec e) { return e * share - everywhere; }, logits);
    logits[expected] -= 1 - smoothing;
  }
  return row;
}

void check(const char* op, const Shape& shape, int64_t vocabulary,
           std::span<const int32_t> expected, real smoothing) {
  require(shape.rows() == static_cast<int64_t>(expected.size()), "{}: {} for {} expected tokens",
          op, shape, expected.size());
  require(smoothing >= 0 && smoothing < 1, "{}: a label smoothing of {}", op, smoothing);
  for (const int32_t id : expected) {
    require(id >= 0 && id < vocabulary, "{}: id {} is not in a vocabulary of {}", op, id,
            vocabulary);
  }
}

// Applies row_loss to a block of rows of logits.
void block_loss(real* logits, std::span<const int32_t> expected, int64_t vocabulary, real smoothing,
                bool gradient, Row* rows) {
  for_rows(static_cast<int64_t>(expected.size()), vocabulary * 4, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      rows[r] = row_loss(logits + r * vocabulary, vocabulary, expected[r], smoothing, gradient);
    }
  });
}

TokenLoss total(const std::vector<Row>& rows) {
  TokenLoss result;
  double loss = 0;
  for (const Row& row : rows) {
    loss += row.loss;
    result.nll += row.nll;
    result.correct += row.correct ? 1 : 0;
  }
  result.loss = Tensor::full({}, static_cast<real>(loss));
  result.tokens = static_cast<int64_t>(rows.size());
  return result;
}

// to (+)= scale from
void scale_into(Sink to, const real* from, int64_t size, real scale) {
  parallel_for(size, 32768, [&](int64_t b, int64_t e) {
    map_into(
        e - b, to.data + b, to.add, [=](Vec v) { return v * scale; }, from + b);
  });
}

// Gradients formed in the forward pass, for a loss whose own gradient is 1.
struct Formed {
  Gradient x;
  Values w, b;
};

void add_bias(real* logits, const real* bias, int64_t rows, int64_t cols) {
  for_rows(rows, cols, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      map(
          cols, logits + r * cols, [](Vec v, Vec u) { return v + u; }, logits + r * cols, bias);
    }
  });
}

// Calls block(logits, first row, rows) for every block of x w^T + b.
template <class Block>
void for_logits(const Tensor& x, const Tensor& w, const Tensor& b, Block&& block) {
  const int64_t vocabulary = w.rows(), d = w.cols(), most = logit_block_rows(vocabulary);
  Buffer<real> logits(std::min(most, x.rows()) * vocabulary);
  for (int64_t first = 0; first < x.rows(); first += most) {
    const int64_t rows = std::min(most, x.rows() - first);
    gemm({x.data() + first * d, rows, d}, transposed({w.data(), vocabulary, d}), logits.data());
    if (b) add_bias(logits.data(), b.data(), rows, vocabulary);
    block(logits.data(), first, rows);
  }
}

// Adds a block's part of the gradients: dx = g w, dw += g^T x, db += the sum of the rows of g.
void form(const Formed& formed, const Tensor& x, const Tensor& w, const real* g, int64_t first,
          int64_t rows) {
  const int64_t vocabulary = w.rows(), d = w.cols();
  const Matrix block(g, rows, vocabulary);
  if (formed.x) {
    gemm(block, {w.data(), vocabulary, d}, Sink{formed.x.scratch() + first * d, false});
  }
  if (formed.w) {
    gemm(transposed(block), {x.data() + first * d, rows, d}, Sink{formed.w.data(), first > 0});
  }
  if (formed.b) {
    sum_over_rows<1>(rows, vocabulary, {Sink{formed.b.data(), first > 0}},
                     [&](int64_t begin, int64_t end, real* partial) {
                       for (int64_t r = begin; r < end; ++r) {
                         map_into(vocabulary, partial, true, as_it_is, g + r * vocabulary);
                       }
                     });
  }
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
  check("projected_cross_entropy", x.shape(), w.rows(), expected, smoothing);
  const bool wanted = recording({&x, &w, &b});
  Formed formed;
  if (wanted && x.gradient()) {
    formed.x = Gradient::of_size(x.size(), 0);
    formed.x.open();
  }
  if (wanted && w.gradient())
    formed.w = x.rows() ? Values(w.size()) : Tensor::zeros(w.shape()).values();
  if (wanted && b && b.gradient()) formed.b = Tensor::zeros(b.shape()).values();
  std::vector<Row> rows(expected.size());
  for_logits(x, w, b, [&](real* logits, int64_t first, int64_t count) {
    block_loss(logits, expected.subspan(static_cast<size_t>(first), static_cast<size_t>(count)),
               w.rows(), smoothing, wanted, rows.data() + first);
    if (wanted) form(formed, x, w, logits, first, count);
  });
  TokenLoss result = total(rows);
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
  check("cross_entropy", logits.shape(), logits.cols(), expected, smoothing);
  const Tensor copy = Tensor::of(logits.shape(), logits.span());
  std::vector<Row> rows(expected.size());
  block_loss(copy.data(), expected, logits.cols(), smoothing, true, rows.data());
  TokenLoss result = total(rows);
  result.loss = record("cross_entropy", result.loss, {&logits},
                       [g = copy.values(), dx = logits.gradient()](Gradient& dy) {
                         scale_into(dx.open(), g.data(), g.size(), *dy.data());
                       });
  return result;
}

std::vector<real> log_probabilities(const Tensor& x, const Tensor& w, const Tensor& b,
                                    std::span<const int32_t> expected) {
  check_projection("log_probabilities", x, w, b);
  check("log_probabilities", x.shape(), w.rows(), expected, 0);
  std::vector<Row> rows(expected.size());
  for_logits(x, w, b, [&](real* logits, int64_t first, int64_t count) {
    block_loss(logits, expected.subspan(static_cast<size_t>(first), static_cast<size_t>(count)),
               w.rows(), 0, false, rows.data() + first);
  });
  std::vector<real> result;
  for (const Row& row : rows) result.push_back(static_cast<real>(-row.nll));
  return result;
}

}  // namespace calque
