// The causal mask step by step: scores, minus infinity above the diagonal, softmax. The gradients
// confirm it: the result of token i does not depend on tokens after i, so one pass over a sentence
// trains the predictions of all its tokens.
#include <cmath>
#include <limits>

#include "chart.h"
#include "core/ops.h"
#include "example.h"

namespace calque {
namespace {

constexpr int64_t n = 6, d = 16;

Tensor causal_mask() {
  Tensor mask = Tensor::zeros({n, n});
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) {
      mask.data()[i * n + j] = -std::numeric_limits<real>::infinity();
    }
  }
  return mask;
}

// Row i, column j: the norm of the gradient of the sum of result i with respect to token j.
Tensor dependence(const Tensor& tokens) {
  Tensor table({n, n});
  for (int64_t i = 0; i < n; ++i) {
    const Tape tape;
    const Tensor x = variable(tokens);
    const Segments segments = Segments::of_lengths(std::vector{int32_t(n)});
    const Tensor y = attention(x, x, x, segments, segments, {.causal = true});
    backward(sum(slice_rows(y, i, i + 1)));
    const Tensor gradient = Tensor::of({n, d}, x.gradient().span());
    const Tensor norms = sqrt(sum_in_rows(square(gradient)));
    for (int64_t j = 0; j < n; ++j) table.data()[i * n + j] = norms.data()[j];
  }
  return table;
}

void show(const char* path) {
  const Tensor x = random_normal({n, d}, 2, real(0.7));
  const Tensor scores = matmul(x, x, Transpose::right) * (1 / std::sqrt(real(d)));
  const Tensor masked = scores + causal_mask();
  const Tensor weights = softmax(masked);
  const Segments segments = Segments::of_lengths(std::vector{int32_t(n)});
  const double difference = largest_difference(
      matmul(weights, x), attention(x, x, x, segments, segments, {.causal = true}));
  require(difference < 1e-5, "three steps by hand differ by {} from the op", difference);

  const Tensor gradients = dependence(x);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const real g = gradients.data()[i * n + j];
      require(j > i ? g == 0 : g > 0, "result {} has the gradient {} for token {}", i, g, j);
    }
  }
  fmt::print("mask and softmax by hand are {:.0e} from the op attention()\n", difference);
  fmt::print("all {} gradients of later tokens are exactly 0\n", n * (n - 1) / 2);
  const auto chart = [](const char* title, const Tensor& values) {
    return Chart{.title = title, .x_label = "key token", .y_label = "query token", .map = {values}};
  };
  write_charts(path, "The causal mask, step by step",
               {chart("1. Scores q.k / sqrt(d_k)", scores),
                chart("2. Minus infinity for later tokens", masked),
                chart("3. Softmax of each row", weights),
                chart("4. Gradient of each result for each token", gradients)});
}

}  // namespace
}  // namespace calque

int main(int arguments, char** argument) {
  return calque::run_example(arguments, argument, calque::show);
}
