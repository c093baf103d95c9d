// The sinusoidal positions of "Attention Is All You Need", as curves and as a table. PE(p + k) is a
// linear map of PE(p), the same for all p: each pair (sin, cos) is rotated by the angle k f. So
// attention can learn "k tokens back", and PE(p).PE(p + k) depends on k alone.
#include <cmath>

#include "chart.h"
#include "core/ops.h"
#include "example.h"
#include "nn/layers/positions.h"

namespace calque {
namespace {

constexpr int64_t positions = 64, d = 32, shift = 5;

// The matrix M of PE(p + k) = PE(p) M, by sin(a + b) = sin a cos b + cos a sin b and
// cos(a + b) = cos a cos b - sin a sin b.
Tensor rotation(int64_t k) {
  Tensor map = Tensor::zeros({d, d});
  for (int64_t i = 0; i < d; i += 2) {
    const double angle = double(k) * std::pow(10000.0, -double(i) / double(d));
    const real c = real(std::cos(angle)), s = real(std::sin(angle));
    map.data()[i * d + i] = c, map.data()[i * d + i + 1] = -s;
    map.data()[(i + 1) * d + i] = s, map.data()[(i + 1) * d + i + 1] = c;
  }
  return map;
}

void show(const char* path) {
  const Tensor table = sinusoids(PositionKind::interleaved, positions, d);
  const Tensor map = rotation(shift);
  const Tensor rotated = matmul(slice_rows(table, 0, positions - shift), map);
  const double difference = largest_difference(rotated, slice_rows(table, shift, positions));
  require(difference < 1e-5, "PE(p + {}) differs by {} from the linear map of PE(p)", shift,
          difference);

  std::vector<ChartLine> curves;
  for (const int64_t column : {0, 4, 8, 12}) {
    ChartLine line{.label = fmt::format("column {}", column)};
    for (int64_t p = 0; p < positions; ++p) {
      line.x.push_back(double(p)), line.y.push_back(table.data()[p * d + column]);
    }
    curves.push_back(line);
  }
  const Tensor products = matmul(table, table, Transpose::right);
  std::vector<ChartLine> similarity;
  for (const int64_t from : {0, 10, 20}) {
    ChartLine line{.label = fmt::format("p = {}", from)};
    line.dashed = from == 20;
    for (int64_t k = 0; k < 40; ++k) {
      const double product = products.data()[from * positions + from + k];
      require(std::abs(product - double(products.data()[k])) < 1e-4,
              "PE(p).PE(p + {}) depends on p = {}", k, from);
      line.x.push_back(double(k)), line.y.push_back(product);
    }
    similarity.push_back(line);
  }
  fmt::print("PE(p + {}) = PE(p) M for all p, with an error of {:.0e}\n", shift, difference);
  write_charts(path, "Sinusoidal positions",
               {{.title = "Sines of four frequencies",
                 .x_label = "position p",
                 .y_label = "PE(p)",
                 .lines = curves},
                {.title = "The table: blue is positive, orange negative",
                 .x_label = "column",
                 .y_label = "position p",
                 .map = {table}},
                {.title = "M with PE(p + 5) = PE(p) M: rotations of pairs",
                 .x_label = "column",
                 .y_label = "row",
                 .map = {map}},
                {.title = "PE(p).PE(p + k) depends on k alone",
                 .x_label = "distance k",
                 .y_label = "product",
                 .lines = similarity}});
}

}  // namespace
}  // namespace calque

int main(int arguments, char** argument) {
  return calque::run_example(arguments, argument, calque::show);
}
