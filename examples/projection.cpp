// Attention in the plane. The result for a query is a mean of the values, so it lies in their
// convex hull; which mean depends on the query. A linear layer uses the same matrix for every
// input; attention computes its matrix from the input.
#include <cmath>
#include <numbers>

#include "chart.h"
#include "core/ops.h"
#include "example.h"

namespace calque {
namespace {

constexpr int64_t directions = 120;

Tensor circle(int64_t count, real radius) {
  Tensor points({count, 2});
  for (int64_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * double(i) / double(count);
    points.data()[2 * i] = radius * real(std::cos(angle));
    points.data()[2 * i + 1] = radius * real(std::sin(angle));
  }
  return points;
}

// Whether p is to the left of the edge from a to b, or on it.
bool left_of(const real* a, const real* b, const real* p) {
  return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > -1e-5;
}

std::vector<ChartArrow> arrows(const Tensor& points, const std::string& name, int color) {
  std::vector<ChartArrow> list;
  for (int64_t i = 0; i < points.rows(); ++i) {
    const real* p = points.data() + 2 * i;
    list.push_back({name + std::to_string(i + 1), p[0], p[1], color});
  }
  return list;
}

void projection(const char* path) {
  const Tensor keys = circle(4, 1);
  const Tensor values = Tensor::of({4, 2}, {2, -0.5, 1, 1.5, -1.5, 1, -1, -1.5});  // anticlockwise
  const Tensor queries = circle(directions, 3);

  // The op, and the formula that it computes.
  const Segments many = Segments::of_lengths(std::vector{int32_t(directions)});
  const Segments four = Segments::of_lengths(std::vector{4});
  const Tensor results = attention(queries, keys, values, many, four, {});
  const Tensor weights =
      softmax(matmul(queries, keys, Transpose::right) * (1 / std::sqrt(real(2))));
  const double difference = largest_difference(results, matmul(weights, values));
  require(difference < 1e-5, "attention differs by {} from softmax(q k^T / sqrt(d_k)) v",
          difference);

  ChartLine curve{.label = "results for all directions of q"};
  for (int64_t i = 0; i <= directions; ++i) {
    const real* result = results.data() + 2 * (i % directions);
    for (int64_t v = 0; v < 4; ++v) {
      const int64_t next = (v + 1) % 4;
      require(left_of(values.data() + 2 * v, values.data() + 2 * next, result),
              "the result of query {} is outside the hull of the values", i);
    }
    curve.x.push_back(result[0]), curve.y.push_back(result[1]);
  }
  ChartLine hull{.label = "hull of the values", .dashed = true};
  for (int64_t v = 0; v <= 4; ++v) {
    hull.x.push_back(values.data()[2 * (v % 4)]), hull.y.push_back(values.data()[2 * (v % 4) + 1]);
  }

  const std::vector<int32_t> chosen = {10, 50};  // 30 and 150 degrees
  std::vector<ChartArrow> left = arrows(keys, "k", 5);
  std::vector<ChartArrow> right = arrows(values, "v", 5);
  for (size_t i = 0; i < chosen.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    const real* q = queries.data() + 2 * chosen[i];
    const real* r = results.data() + 2 * chosen[i];
    left.push_back({"q" + number, q[0] / 2, q[1] / 2, int(2 + i)});
    right.push_back({"r" + number, r[0], r[1], int(2 + i)});
  }
  const real* w = weights.data() + 4 * chosen[0];
  fmt::print("q1 weighs the values by {:.2f} {:.2f} {:.2f} {:.2f}\n", w[0], w[1], w[2], w[3]);
  fmt::print("all {} results are in the hull of the values, {:.0e} from the formula\n", directions,
             difference);
  write_charts(path, "Attention as a projection that depends on its input",
               {{.title = "Queries (half length) and keys",
                 .x_label = "first component",
                 .y_label = "second component",
                 .arrows = left},
                {.title = "Values and results",
                 .x_label = "first component",
                 .y_label = "second component",
                 .lines = {curve, hull},
                 .arrows = right}});
}

}  // namespace
}  // namespace calque

int main(int arguments, char** argument) {
  return calque::run_example(arguments, argument, calque::projection);
}
