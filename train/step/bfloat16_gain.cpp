#include "train/step/bfloat16_gain.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/products/blas.h"
#include "core/stopwatch.h"
#include "core/tape.h"

namespace calque {
namespace {

// A product of `rows` tokens with a weight [k, n].
struct Product {
  int64_t rows, k, n;
  double flops() const { return 2 * double(rows) * double(k) * double(n); }
};

// The products of the forward pass, with the rows that they have in a whole slice.
std::vector<Product> products_of(const Work& largest, int64_t slices) {
  const auto sample = largest.split(16 * slices);
  std::vector<GemmCall> calls;
  {
    const GemmRecorder recorder(calls);
    const Tape tape;
    sample.front()->forward();
  }
  const double tokens = static_cast<double>(std::max<int64_t>(1, sample.front()->size().tokens));
  const double growth = static_cast<double>(largest.size().tokens) / double(slices) / tokens;
  std::vector<Product> products;
  for (const GemmCall& call : calls) {
    const auto rows = static_cast<int64_t>(double(call.m) * std::max(1.0, growth));
    products.push_back({rows, call.k, call.n});
  }
  return products;
}

// The shorter time of two, after a first run.
double seconds_of(const Matrix& a, const Matrix& b, real* c, Precision precision) {
  const ProductPrecision rounding(precision);
  gemm(a, b, c);
  double least = 1e9;
  for (int run = 0; run < 2; ++run) {
    const Stopwatch watch;
    gemm(a, b, c);
    least = std::min(least, watch.seconds());
  }
  return least;
}

// y = x w, dx = dy w^T and dw = x^T dy.
double seconds_of(const Product& product, Precision precision) {
  const auto [rows, k, n] = product;
  const Tensor x = Tensor::full({rows, k}, 1), w = Tensor::full({k, n}, 1),
               y = Tensor::full({rows, n}, 1);
  const Matrix left(x.data(), rows, k), right(w.data(), k, n), out(y.data(), rows, n);
  const Tensor dx({rows, k}), dw({k, n}), result({rows, n});
  return seconds_of(left, right, result.data(), precision) +
         seconds_of(out, transposed(right), dx.data(), precision) +
         seconds_of(transposed(left), out, dw.data(), precision);
}

}  // namespace

double bfloat16_gain(const Work& largest, int64_t slices) {
  constexpr size_t most_products = 3;
  constexpr double most_flops = 2e8;  // of one of them; a few milliseconds
  std::vector<Product> products = products_of(largest, slices);
  std::ranges::sort(products, std::greater<>(), &Product::flops);
  const auto same = std::ranges::unique(
      products, [](const Product& a, const Product& b) { return a.k == b.k && a.n == b.n; });
  products.erase(same.begin(), same.end());
  products.resize(std::min(products.size(), most_products));
  double full = 0, rounded = 0;
  for (Product product : products) {
    const double share = std::min(1.0, most_flops / product.flops());
    product.rows = std::max<int64_t>(1, static_cast<int64_t>(double(product.rows) * share));
    full += seconds_of(product, Precision::full);
    rounded += seconds_of(product, Precision::bfloat16);
  }
  return rounded > 0 ? full / rounded : 1;
}

std::string bfloat16_note(double gain) {
  if (gain >= 1) return "";
  return fmt::format(
      "training.precision: bfloat16 does not pay on this machine: its products take {:.1f} times "
      "as long as those in float32",
      1 / gain);
}

}  // namespace calque
