// How far a gradient reaches. In h_t = tanh(h_(t-1) W + x_t U) the gradient of the last state for
// token t passes through every state between, and each step multiplies it by a matrix. Attention
// reaches every token in one step.
#include <cmath>

#include "chart.h"
#include "core/ops.h"
#include "example.h"

namespace calque {
namespace {

constexpr int64_t length = 40, d = 32;

// The norm of the gradient with respect to each token, from the last token to the first.
ChartLine reach(const std::string& label, const Tensor& x) {
  const Tensor gradient = Tensor::of({length, d}, x.gradient().span());
  const Tensor norms = sqrt(sum_in_rows(square(gradient)));
  ChartLine line{.label = label};
  for (int64_t back = 0; back < length; ++back) {
    line.x.push_back(double(back)), line.y.push_back(norms.data()[length - 1 - back]);
  }
  return line;
}

ChartLine through_rnn(const Tensor& tokens, real gain) {
  const Tensor w = random_normal({d, d}, 11, gain / std::sqrt(real(d)));
  const Tensor u = random_normal({d, d}, 12, 1 / std::sqrt(real(d)));
  const Tape tape;
  const Tensor x = variable(tokens);
  Tensor h = Tensor::zeros({1, d});
  for (int64_t t = 0; t < length; ++t) {
    h = tanh(matmul(h, w) + matmul(slice_rows(x, t, t + 1), u));
  }
  backward(h, random_normal({1, d}, 13));
  return reach(fmt::format("RNN, W of scale {:g}", gain), x);
}

ChartLine through_attention(const Tensor& tokens) {
  const Tape tape;
  const Tensor x = variable(tokens);
  const Segments all = Segments::of_lengths(std::vector{int32_t(length)});
  const Segments last = Segments::of_lengths(std::vector{1});
  const Tensor query = slice_rows(x, length - 1, length).detached();
  backward(attention(query, x, x, last, all, {}), random_normal({1, d}, 13));
  return reach("attention", x);
}

double first_to_last(const ChartLine& line) { return line.y.back() / line.y.front(); }

void show(const char* path) {
  const Tensor tokens = random_normal({length, d}, 10, real(0.5));
  const ChartLine small = through_rnn(tokens, real(0.7)), large = through_rnn(tokens, 1);
  const ChartLine attended = through_attention(tokens);
  require(first_to_last(small) < 1e-6, "the RNN keeps {} of the gradient", first_to_last(small));
  require(first_to_last(large) < 1e-2, "the RNN keeps {} of the gradient", first_to_last(large));
  require(first_to_last(attended) > 0.05, "attention keeps {} of the gradient",
          first_to_last(attended));
  fmt::print("of the last token's gradient, the first of {} receives {:.0e} and {:.0e} through\n",
             length, first_to_last(small), first_to_last(large));
  fmt::print("two RNNs, and {:.2f} through attention\n", first_to_last(attended));
  write_charts(path, "How far a gradient reaches",
               {{.title = "Gradient of the last result for each token",
                 .x_label = "tokens back",
                 .y_label = "norm of the gradient",
                 .lines = {small, large, attended},
                 .logarithmic_y = true}});
}

}  // namespace
}  // namespace calque

int main(int arguments, char** argument) {
  return calque::run_example(arguments, argument, calque::show);
}
