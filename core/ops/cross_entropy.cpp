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

// One pass over the tokens or two that are to agree, each x [tokens, d], and the projection.
struct Projection {
  std::vector<Tensor> passes;
  Tensor w, b;

  int64_t tokens() const { return passes[0].rows(); }
  int64_t d() const { return w.cols(); }
  Matrix x(size_t pass, int64_t first, int64_t rows) const {
    return {passes[pass].data() + first * d(), rows, d()};
  }
};

// A block of logits, in memory that serves every block in turn: so many rows of each pass, one pass
// after the other. Rows are an odd number of cache lines apart, whatever the vocabulary: whole
// ones, so that no vector lies across two of them, and odd, so that a column's numbers do not all
// compete for the same few places of the caches.
struct LogitBlock {
  LogitBlock(int64_t most_rows, int64_t vocabulary_size)
      : vocabulary(vocabulary_size),
        stride(round_up(vocabulary, cache_line) | cache_line),
        numbers(most_rows * stride) {}
  LogitRows rows(size_t pass) {
    return {numbers.data() + static_cast<int64_t>(pass) * count * stride, vocabulary, stride};
  }
  Matrix matrix(size_t pass) { return {rows(pass).data, count, vocabulary, stride}; }
  int64_t vocabulary, stride;
  int64_t first = 0, count = 0;  // which of the tokens are in it
  Buffer<real> numbers;
};

// Calls use(block) for every block of x w^T + b.
template <class Use>
void for_logits(const Projection& from, Use&& use) {
  const int64_t vocabulary = from.w.rows(), d = from.d(), tokens = from.tokens();
  const auto passes = static_cast<int64_t>(from.passes.size());
  const int64_t most = std::min(logit_block_rows(vocabulary), tokens);
  LogitBlock logits(passes * most, vocabulary);
  for (; logits.first < tokens; logits.first += most) {
    logits.count = std::min(most, tokens - logits.first);
    for (size_t pass = 0; pass < from.passes.size(); ++pass) {
      gemm(from.x(pass, logits.first, logits.count), transposed({from.w.data(), vocabulary, d}),
           {logits.rows(pass).data, false}, 1, logits.stride,
           {.bias = from.b ? from.b.data() : nullptr});
    }
    use(logits);
  }
}

// Gradients formed in the forward pass, for a loss whose own gradient is 1.
struct Formed {
  std::vector<Gradient> x;  // one for each pass
  Gradient w, b;
};

// Adds a block's part of the gradients: dx = g w, dw += g^T x, db += the sum of the rows of g.
void form(const Formed& formed, const Projection& from, LogitBlock& g, size_t pass) {
  const int64_t d = from.d();
  const Matrix block = g.matrix(pass);
  const bool add = g.first > 0 || pass > 0;
  if (formed.x[pass]) {
    gemm(block, {from.w.data(), g.vocabulary, d},
         Sink{formed.x[pass].scratch() + g.first * d, false});
  }
  if (formed.w) {
    gemm(transposed(block), from.x(pass, g.first, g.count), Sink{formed.w.scratch(), add});
  }
  if (formed.b) {
    sum_over_rows<1>(g.count, g.vocabulary, {Sink{formed.b.scratch(), add}},
                     [&](int64_t begin, int64_t end, real* partial) {
                       for (int64_t r = begin; r < end; ++r) {
                         map_into(g.vocabulary, partial, true, as_it_is, block.data + r * g.stride);
                       }
                     });
  }
}

// The losses of all tokens, and the gradients where there are to be some.
std::vector<RowLoss> losses_of(const Projection& from, std::span<const int32_t> expected,
                               const PairOptions& options, const Formed* formed) {
  std::vector<RowLoss> losses(expected.size());
  const bool gradient = formed != nullptr;
  for_logits(from, [&](LogitBlock& logits) {
    const auto of_block =
        expected.subspan(static_cast<size_t>(logits.first), static_cast<size_t>(logits.count));
    RowLoss* to = losses.data() + logits.first;
    if (from.passes.size() == 1) {
      row_losses(logits.rows(0), of_block, options.smoothing, gradient, to);
    } else {
      pair_losses(logits.rows(0), logits.rows(1), of_block, options, gradient, to);
    }
    for (size_t pass = 0; formed && pass < from.passes.size(); ++pass) {
      form(*formed, from, logits, pass);
    }
  });
  return losses;
}

void check_projection(const char* op, const Tensor& x, const Tensor& w, const Tensor& b) {
  require(w.shape().axes() == 2 && x.cols() == w.cols() && w.rows() > 0, "{}: x is {} but w is {}",
          op, x.shape(), w.shape());
  require(!b || b.shape() == Shape{w.rows()}, "{}: w is {} but b is {}", op, w.shape(), b.shape());
}

// The gradients' memory, for those that are wanted; without tokens no block will write to it.
Formed formed_for(const Projection& from) {
  const auto room_for = [&](const Tensor& input) {
    if (!input.gradient()) return Gradient();
    Gradient room = Gradient::of_size(input.size(), 0);
    if (from.tokens() > 0) {
      room.open();
    } else {
      room.open_cleared();
    }
    return room;
  };
  Formed formed{.x = {}, .w = room_for(from.w), .b = room_for(from.b)};
  for (const Tensor& x : from.passes) formed.x.push_back(room_for(x));
  return formed;
}

// Scales what was formed by the loss's own gradient and hands it on.
Tape::Backward handing_on(Formed formed, const Projection& from) {
  std::vector<Gradient> dx;
  for (const Tensor& x : from.passes) dx.push_back(x.gradient());
  return [formed = std::move(formed), dx = std::move(dx), dw = from.w.gradient(),
          db = from.b.gradient()](Gradient& dy) mutable {
    const real scale = *dy.data();
    const auto pass_on = [&](Gradient& one, const Gradient& to) {
      if (!one) return;
      if (scale != 1) scale_into({one.scratch(), false}, one.data(), one.size(), scale);
      to.accept(one);
    };
    pass_on(formed.w, dw);
    pass_on(formed.b, db);
    for (size_t pass = 0; pass < dx.size(); ++pass) pass_on(formed.x[pass], dx[pass]);
  };
}

// `y` is absent where there is one pass, and has the shape of x where there are two.
TokenLoss projected_loss(const char* op, const Tensor& x, const Tensor& y, const Tensor& w,
                         const Tensor& b, std::span<const int32_t> expected,
                         const PairOptions& options) {
  check_projection(op, x, w, b);
  check_expected(op, x.shape(), w.rows(), expected, options.smoothing);
  Projection from{{x}, w, b};
  if (y) from.passes.push_back(y);
  const bool wanted = recording({&x, &y, &w, &b});
  const Formed formed = wanted ? formed_for(from) : Formed();
  TokenLoss result = sum_of(losses_of(from, expected, options, wanted ? &formed : nullptr));
  if (wanted) result.loss = record(op, result.loss, {&x, &y, &w, &b}, handing_on(formed, from));
  return result;
}

}  // namespace

TokenLoss projected_cross_entropy(const Tensor& x, const Tensor& w, const Tensor& b,
                                  std::span<const int32_t> expected, real smoothing) {
  return projected_loss("projected_cross_entropy", x, {}, w, b, expected, {smoothing, 0});
}

TokenLoss agreeing_cross_entropy(const Tensor& x, const Tensor& y, const Tensor& w, const Tensor& b,
                                 std::span<const int32_t> expected, real smoothing,
                                 real agreement) {
  constexpr const char* op = "agreeing_cross_entropy";
  require(y && x.shape() == y.shape(), "{}: x is {} but y is {}", op, x.shape(), y.shape());
  require(agreement >= 0, "{}: an agreement of {}", op, agreement);
  return projected_loss(op, x, y, w, b, expected, {smoothing, agreement});
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
  for (const RowLoss& row : losses_of({{x}, w, b}, expected, {}, nullptr)) {
    result.push_back(static_cast<real>(-row.nll));
  }
  return result;
}

}  // namespace calque
