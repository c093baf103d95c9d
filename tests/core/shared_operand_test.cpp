// A tensor that is several operands of an op gets the sum of the gradients of separate operands.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "support/gradient_check.h"

using namespace calque;

namespace {

using Inputs = const std::vector<Tensor>&;

// The sum of the gradients of `count` equal operands of f: one shared tensor, or separate ones.
std::vector<real> total_gradient(const Function& f, const Shape& shape, size_t count, bool one) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < count; ++i) {
    operands.push_back(one && i > 0 ? operands[0] : variable(random_tensor(shape, 3)));
  }
  {
    const Tape tape({.seed = 1});
    const Tensor y = f(operands);
    backward(y, random_tensor(y.shape(), 9));
  }
  std::vector<real> total(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < (one ? 1 : count); ++i) {
    const auto gradient = operands[i].gradient().span();
    std::transform(total.begin(), total.end(), gradient.begin(), total.begin(), std::plus());
  }
  return total;
}

void check(const char* name, const Shape& shape, size_t count, const Function& f) {
  CAPTURE(name);
  CHECK(relative_error(total_gradient(f, shape, count, true),
                       total_gradient(f, shape, count, false)) < 1e-5);
}

Segments lengths(const std::vector<int32_t>& all) { return Segments::of_lengths(all); }

}  // namespace

TEST_CASE("one tensor as queries, keys and values gets all their gradients") {
  const Segments segments = lengths({3, 0, 300, 5});
  const int64_t tokens = segments.tokens();
  for (const bool causal : {false, true}) {
    for (const real p : {real(0), real(0.2)}) {
      const AttentionOptions options{4, causal, p};
      check("all three", {tokens, 32}, 3,
            [&](Inputs t) { return attention(t[0], t[1], t[2], segments, segments, options); });
      check("queries and values", {tokens, 32}, 2, [&](Inputs t) {
        return attention(t[0], random_tensor({tokens, 32}, 4), t[1], segments, segments, options);
      });
      check("keys and values", {tokens, 32}, 2, [&](Inputs t) {
        return attention(random_tensor({tokens, 32}, 4), t[0], t[1], segments, segments, options);
      });
    }
  }
}

TEST_CASE("one tensor as both operands of a product, a sum or a norm gets both gradients") {
  check("linear", {40, 40}, 2, [](Inputs t) { return linear(t[0], t[1], {}, Activation::gelu); });
  check("matmul", {3, 40, 40}, 2, [](Inputs t) { return matmul(t[0], t[1], Transpose::both); });
  check("residual", {40, 40}, 2, [](Inputs t) { return residual(t[0], t[1], real(0.3)); });
  for (const Shape& shape : {Shape{40, 64}, Shape{2100, 1024}}) {
    check("residual_norm", shape, 2, [&](Inputs t) {
      const int64_t cols = shape[1];
      return residual_norm(t[0], t[1], real(0.3), Tensor::full({cols}, 1), Tensor::zeros({cols}));
    });
  }
  check("gain and bias", {64}, 2, [](Inputs t) {
    return layer_norm(random_tensor({40, 64}, 5), t[0], t[1]);
  });
  check("rows", {40, 33}, 2, [](Inputs t) { return concat_rows(t); });
  check("columns", {40, 33}, 2, [](Inputs t) { return concat_cols(t); });
  check("positions", {8, 32}, 2, [](Inputs t) {
    return add_positions(t[0], t[1], lengths({3, 5}));
  });
}

TEST_CASE("one tensor as input and weight of a projection gets both gradients") {
  std::vector<int32_t> ids(300);
  std::iota(ids.begin(), ids.end(), 0);
  check("one pass", {300, 32}, 2,
        [&](Inputs t) { return projected_cross_entropy(t[0], t[1], {}, ids, real(0.1)).loss; });
  check("two passes", {300, 32}, 3, [&](Inputs t) {
    return agreeing_cross_entropy(t[0], t[1], t[2], {}, ids, real(0.1), 2).loss;
  });
}
