// Why attention divides by sqrt(d_k). For independent q and k with unit variance, q.k is a sum of
// d_k products of variance 1, so its variance is d_k. Without the division a softmax over such
// scores puts nearly all weight on one key if d_k is large; with it, the entropy of the weights
// hardly depends on d_k.
#include <cmath>

#include "chart.h"
#include "core/ops.h"
#include "example.h"

namespace calque {
namespace {

constexpr int64_t pairs = 8192, queries = 256, keys = 64;

double variance(const Tensor& x) {
  const double m = mean(x).item();
  return double(mean(square(x)).item()) - m * m;
}

void scaling(const char* path) {
  ChartLine raw{.label = "q.k", .dots = true}, scaled{.label = "q.k / sqrt(d_k)", .dots = true};
  ChartLine raw_entropy = raw, scaled_entropy = scaled;
  for (int64_t d = 4; d <= 1024; d *= 2) {
    const real share = 1 / std::sqrt(real(d));
    const Tensor dots = sum_in_rows(random_normal({pairs, d}, 1) * random_normal({pairs, d}, 2));
    raw.y.push_back(variance(dots));
    scaled.y.push_back(variance(dots * share));

    const Tensor scores =
        matmul(random_normal({queries, d}, 3), random_normal({keys, d}, 4), Transpose::right);
    raw_entropy.y.push_back(mean_entropy(softmax(scores)));
    scaled_entropy.y.push_back(mean_entropy(softmax(scores * share)));

    require(std::abs(raw.y.back() / double(d) - 1) < 0.1, "the variance of q.k is {} for d_k = {}",
            raw.y.back(), d);
    require(std::abs(scaled.y.back() - 1) < 0.1, "the variance of scaled q.k is {} for d_k = {}",
            scaled.y.back(), d);
    require(scaled_entropy.y.back() > 0.75 * std::log(double(keys)),
            "the scaled softmax has an entropy of {} for d_k = {}", scaled_entropy.y.back(), d);
    for (ChartLine* line : {&raw, &scaled, &raw_entropy, &scaled_entropy}) {
      line->x.push_back(double(d));
    }
  }
  require(raw_entropy.y.back() < 0.5, "the softmax without scaling has an entropy of {}",
          raw_entropy.y.back());
  ChartLine even{.label = "even weights", .x = raw.x, .y = {}, .dashed = true};
  even.y.assign(even.x.size(), std::log(double(keys)));

  fmt::print("d_k = 1024: the variance of q.k is {:.0f}, scaled {:.3f}\n", raw.y.back(),
             scaled.y.back());
  fmt::print("the softmax over {} keys has an entropy of {:.2f} nats, scaled {:.2f}, of {:.2f}\n",
             keys, raw_entropy.y.back(), scaled_entropy.y.back(), even.y.back());
  write_charts(path, "Why attention divides by sqrt(d_k)",
               {{.title = "Variance of the scores",
                 .x_label = "d_k",
                 .y_label = "variance",
                 .lines = {raw, scaled},
                 .logarithmic_x = true,
                 .logarithmic_y = true},
                {.title = "Entropy of the softmax over 64 keys",
                 .x_label = "d_k",
                 .y_label = "nats",
                 .lines = {raw_entropy, scaled_entropy, even},
                 .logarithmic_x = true}});
}

}  // namespace
}  // namespace calque

int main(int arguments, char** argument) {
  return calque::run_example(arguments, argument, calque::scaling);
}
