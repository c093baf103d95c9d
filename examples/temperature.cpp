// Softmax at a temperature: softmax(x / T). A low temperature approaches the maximum, a high one
// the uniform distribution; the entropy rises between them. Sampling of text uses the same T.
#include <cmath>

#include "chart.h"
#include "core/ops.h"
#include "example.h"

namespace calque {
namespace {

void temperature(const char* path) {
  const Tensor logits = Tensor::of({1, 5}, {2, 1.5, 1, 0, -1});
  std::vector<Tensor> shown;
  std::vector<std::string> names;
  for (const real t : {real(0.1), real(0.5), real(1), real(2), real(10)}) {
    shown.push_back(softmax(logits * (1 / t)));
    names.push_back(fmt::format("T = {:g}", t));
  }

  ChartLine entropy, even{.label = "log 5, uniform", .dashed = true};
  Tensor coldest, hottest;
  for (double t = 0.05; t < 60; t *= 1.15) {
    hottest = softmax(logits * real(1 / t));
    if (!coldest) coldest = hottest;
    entropy.x.push_back(t);
    entropy.y.push_back(mean_entropy(hottest));
    even.x.push_back(t);
    even.y.push_back(std::log(5.0));
    const size_t n = entropy.y.size();
    require(n == 1 || entropy.y[n - 1] > entropy.y[n - 2],
            "the entropy does not rise at the temperature {}", t);
  }
  entropy.label = "softmax(x / T)";
  const double most = max_in_rows(coldest).item();
  require(most > 0.999, "the coldest softmax gives the maximum only {}", most);
  const double from_even = largest_difference(hottest, Tensor::full({1, 5}, real(0.2)));
  require(from_even < 0.02, "the hottest softmax is {} from uniform", from_even);

  fmt::print("T = {:.2f}: the largest logit has probability {:.4f}\n", entropy.x.front(), most);
  fmt::print("T = {:.0f}: no probability is further than {:.3f} from 1/5\n", entropy.x.back(),
             from_even);
  write_charts(path, "Softmax at temperatures",
               {{.title = "Probabilities",
                 .x_label = "logit",
                 .y_label = "temperature",
                 .map = {.values = concat_rows(shown),
                         .row_labels = names,
                         .column_labels = {"2", "1.5", "1", "0", "-1"}}},
                {.title = "Entropy",
                 .x_label = "temperature T",
                 .y_label = "nats",
                 .lines = {entropy, even},
                 .logarithmic_x = true}});
}

}  // namespace
}  // namespace calque

int main(int arguments, char** argument) {
  return calque::run_example(arguments, argument, calque::temperature);
}
