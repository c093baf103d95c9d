// Cross-entropy, alone or with the projection to the vocabulary before it. The gradients of x and w
// are computed in the forward pass, block by block of logits, and only scaled in the backward pass,
// so only one block of logits, and of a teacher's, exists at a time. Where each token has a
// gradient of its own, the backward pass computes the logits again.

#include <functional>
#include <memory>

#include "core/ops/logit_blocks.h"
#include "core/ops/row_sums.h"
#include "core/ops/token_loss.h"
#include "core/products/blas.h"
#include "core/simd/vector.h"
#include "core/threads/parallel.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

// to (+)= scale from
void scale_into(Sink to, const real* from, int64_t size, real scale) {
  const auto scaled = [=](Vec v) { return v * scale; };
  parallel_for(size, 32768, [&](int64_t b, int64_t e) {
    map_into(e - b, to.data + b, to.add, scaled, from + b);
  });
}

// A gradient computed in the forward pass, for a loss whose own gradient is 1, and the input's
// gradient, to which the backward pass adds it. Both are empty if the input requires no gradient.
struct ForwardGradient {
  explicit ForwardGradient(const Tensor& input) : to(input.gradient()) {
    if (to) memory = Gradient::of_size(to.size(), 0);
    if (to) memory.open_cleared();
  }
  explicit operator bool() const { return static_cast<bool>(to); }
  Gradient memory, to;
};

struct Gradients {
  explicit Gradients(const Projection& inputs) : w(inputs.w), b(inputs.b) {
    for (const Tensor& pass : inputs.passes) x.emplace_back(pass);
  }
  std::vector<ForwardGradient> x;  // of each pass
  ForwardGradient w, b;
};

// Adds the gradients of a block: dx = g w, dw += g^T x, db += the sum of the rows of g, after g has
// passed through the cap.
void add_gradients(const Gradients& to, const Projection& from, LogitBlock& g, size_t pass) {
  const int64_t d = from.d();
  if (from.cap > 0) {
    g.with_slopes(pass, [&](real* numbers, const real* slopes) {
      map(
          g.vocabulary, numbers, [](Vec x, Vec slope) { return x * slope; }, numbers, slopes);
    });
  }
  const Matrix block = g.matrix(pass);
  const bool add = g.first > 0 || pass > 0;
  if (to.x[pass]) {
    gemm(block, {from.w.values(), g.vocabulary, d},
         Sink{to.x[pass].memory.scratch() + g.first * d, false});
  }
  if (to.w) {
    gemm(transposed(block), from.x(pass, g.first, g.count), Sink{to.w.memory.scratch(), add});
  }
  if (to.b) {
    sum_over_rows<1>(g.count, g.vocabulary, {Sink{to.b.memory.scratch(), add}},
                     [&](int64_t begin, int64_t end, real* partial) {
                       for (int64_t r = begin; r < end; ++r) {
                         map_into(g.vocabulary, partial, true, as_it_is, block.data + r * g.stride);
                       }
                     });
  }
}

// The losses of a block of logits, which it overwrites with their gradients if `gradient` is true.
using BlockLosses = std::function<void(LogitBlock& logits, std::span<const int32_t> expected,
                                       bool gradient, RowLoss* losses)>;

BlockLosses of_one_pass(real smoothing) {
  return [=](LogitBlock& logits, std::span<const int32_t> expected, bool gradient, RowLoss* to) {
    row_losses(logits.rows(0), expected, smoothing, gradient, to);
  };
}

BlockLosses of_two_passes(const PairOptions& options) {
  return [=](LogitBlock& logits, std::span<const int32_t> expected, bool gradient, RowLoss* to) {
    pair_losses(logits.rows(0), logits.rows(1), expected, options, gradient, to);
  };
}

BlockLosses with_teacher(const Projection& teacher, const TaughtOptions& options) {
  return [&teacher, options, block = std::make_shared<LogitBlock>(block_for(teacher))](
             LogitBlock& logits, std::span<const int32_t> expected, bool gradient, RowLoss* to) {
    block->first = logits.first;
    block->count = logits.count;
    fill(*block, teacher);
    taught_losses(logits.rows(0), block->rows(0), expected, options, gradient, to);
  };
}

// The losses of all tokens; computes the gradients unless they are nullptr.
std::vector<RowLoss> losses_of(const Projection& from, std::span<const int32_t> expected,
                               const BlockLosses& losses, const Gradients* gradients) {
  std::vector<RowLoss> all(expected.size());
  for_logits(from, [&](LogitBlock& logits) {
    const auto of_block =
        expected.subspan(static_cast<size_t>(logits.first), static_cast<size_t>(logits.count));
    losses(logits, of_block, gradients != nullptr, all.data() + logits.first);
    for (size_t pass = 0; gradients && pass < from.passes.size(); ++pass) {
      add_gradients(*gradients, from, logits, pass);
    }
  });
  return all;
}

void check_projection(const char* op, const Tensor& x, const Tensor& w, const Tensor& b) {
  require(w.shape().axes() == 2 && x.cols() == w.cols() && w.rows() > 0, "{}: x is {} but w is {}",
          op, x.shape(), w.shape());
  require(!b || b.shape() == Shape{w.rows()}, "{}: w is {} but b is {}", op, w.shape(), b.shape());
}

// Scales the gradients by the loss's own gradient and passes them on to the inputs.
void pass_on(Gradients& gradients, real scale) {
  const auto to_input = [scale](ForwardGradient& computed) {
    if (!computed) return;
    Gradient& g = computed.memory;
    if (scale != 1) scale_into({g.scratch(), false}, g.data(), g.size(), scale);
    computed.to.accept(g);
  };
  to_input(gradients.w);
  to_input(gradients.b);
  for (ForwardGradient& x : gradients.x) to_input(x);
}

TokenLoss projected_loss(const char* op, const Projection& from, std::span<const int32_t> expected,
                         real smoothing, const BlockLosses& losses) {
  const Tensor& x = from.passes.front();
  const Tensor y = from.passes.size() > 1 ? from.passes[1] : Tensor{};
  check_projection(op, x, from.w, from.b);
  check_expected(op, x.shape(), from.w.rows(), expected, smoothing);
  if (!recording({&x, &y, &from.w, &from.b})) {
    return sum_of(losses_of(from, expected, losses, nullptr));
  }
  Gradients gradients(from);
  TokenLoss result = sum_of(losses_of(from, expected, losses, &gradients));
  result.loss = record(
      op, result.loss, {&x, &y, &from.w, &from.b},
      [gradients = std::move(gradients)](Gradient& dy) mutable { pass_on(gradients, *dy.data()); });
  return result;
}

}  // namespace

TokenLoss projected_cross_entropy(const Tensor& x, const Tensor& w, const Tensor& b,
                                  std::span<const int32_t> expected, real smoothing, real cap) {
  return projected_loss("projected_cross_entropy", {{x}, w, b, cap}, expected, smoothing,
                        of_one_pass(smoothing));
}

TokenLoss agreeing_cross_entropy(const Tensor& x, const Tensor& y, const Tensor& w, const Tensor& b,
                                 std::span<const int32_t> expected, real smoothing, real agreement,
                                 real cap) {
  constexpr const char* op = "agreeing_cross_entropy";
  require(y && x.shape() == y.shape(), "{}: x is {} but y is {}", op, x.shape(), y.shape());
  require(agreement >= 0, "{}: an agreement of {}", op, agreement);
  return projected_loss(op, {{x, y}, w, b, cap}, expected, smoothing,
                        of_two_passes({smoothing, agreement}));
}

TokenLoss distilled_cross_entropy(const Tensor& x, const Tensor& w, const Tensor& b,
                                  const Tensor& y, const Tensor& v, const Tensor& c,
                                  std::span<const int32_t> expected, real smoothing, real share,
                                  real cap, real teacher_cap) {
  constexpr const char* op = "distilled_cross_entropy";
  check_projection(op, y, v, c);
  require(x.rows() == y.rows() && w.rows() == v.rows(),
          "{}: x is {} and w is {}, but y is {} and v is {}", op, x.shape(), w.shape(), y.shape(),
          v.shape());
  require(share >= 0 && share <= 1, "{}: a share of {}", op, share);
  const Projection teacher{{y}, v, c, teacher_cap};
  return projected_loss(op, {{x}, w, b, cap}, expected, smoothing,
                        with_teacher(teacher, {smoothing, share}));
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
                                    std::span<const int32_t> expected, real cap) {
  check_projection("log_probabilities", x, w, b);
  check_expected("log_probabilities", x.shape(), w.rows(), expected, 0);
  std::vector<real> result;
  for (const RowLoss& row : losses_of({{x}, w, b, cap}, expected, of_one_pass(0), nullptr)) {
    result.push_back(static_cast<real>(-row.nll));
  }
  return result;
}

Tensor projected_log_probabilities(const Tensor& x, const Tensor& w, const Tensor& b,
                                   std::span<const int32_t> expected, real cap) {
  constexpr const char* op = "projected_log_probabilities";
  const Tensor y = Tensor::of({x.rows(), 1}, log_probabilities(x, w, b, expected, cap));
  const auto backward = [from = Projection{{x}, w, b, cap},
                         ids = std::vector(expected.begin(), expected.end())](Gradient& dy) {
    Gradients gradients(from);
    for_logits(from, [&](LogitBlock& logits) {
      std::vector<RowLoss> unused(static_cast<size_t>(logits.count));
      const LogitRows rows = logits.rows(0);
      row_losses(rows, std::span(ids).subspan(logits.first, logits.count), 0, true, unused.data());
      for_each_row(logits.count, logits.vocabulary, [&](int64_t r) {
        real* const row = rows.data + r * rows.stride;
        const auto scaled = [by = -dy.data()[logits.first + r]](Vec v) { return v * by; };
        map(logits.vocabulary, row, scaled, row);
      });
      add_gradients(gradients, from, logits, 0);
    });
    pass_on(gradients, 1);
  };
  return record(op, y, {&x, &w, &b}, backward);
}

}  // namespace calque
