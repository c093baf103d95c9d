// Products of few rows against their sums in double, for every number of rows and odd sizes.
#include "core/products/few_rows.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/random.h"
#include "support/threads.h"
#include "support/worse.h"

namespace calque {
namespace {

std::vector<real> numbers(int64_t count, uint64_t seed) {
  Random random({.seed = seed});
  std::vector<real> values(static_cast<size_t>(count));
  for (real& value : values) value = static_cast<real>(random.uniform() - 0.5);
  return values;
}

// The strides are longer than the rows, so that a wrong stride is detected.
struct Product {
  int64_t m, n, k;
  bool flipped, add;
  int64_t a_stride = k + 3, b_stride = (flipped ? k : n) + 5, c_stride = n + 2;
  std::vector<real> a = numbers(m * a_stride, 1), b = numbers((flipped ? n : k) * b_stride, 2);
  std::vector<real> before = numbers(m * c_stride, 3);

  std::vector<real> result() const {
    std::vector<real> c = before;
    const Matrix left(a.data(), m, k, a_stride);
    const Matrix right(b.data(), flipped ? n : k, flipped ? k : n, b_stride);
    REQUIRE(has_few_rows(left));
    few_rows_product(left, flipped ? transposed(right) : right, {c.data(), add}, real(0.5),
                     c_stride);
    return c;
  }

  double expected(int64_t i, int64_t j) const {
    const auto start = double(before[static_cast<size_t>(i * c_stride + j)]);
    if (j >= n) return start;
    double total = 0;
    for (int64_t p = 0; p < k; ++p) {
      const int64_t at = flipped ? j * b_stride + p : p * b_stride + j;
      total +=
          double(a[static_cast<size_t>(i * a_stride + p)]) * double(b[static_cast<size_t>(at)]);
    }
    return 0.5 * total + (add ? start : 0);
  }
};

TEST_CASE("products of few rows equal their sums for all sizes, and write only their result") {
  for (int64_t m = 1; has_few_rows({nullptr, m, 1}); ++m) {
    for (const auto& size :
         {std::pair<int64_t, int64_t>{1, 1}, {5, 7}, {16, 16}, {17, 33}, {300, 65}, {531, 40}}) {
      const int64_t n = size.first, k = size.second;
      for (const bool flipped : {false, true}) {
        const Product product{m, n, k, flipped, n % 2 == 0};
        const std::vector<real> c = product.result();
        double worst = 0;
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t j = 0; j < product.c_stride; ++j) {
            worst = worse(worst, std::abs(double(c[static_cast<size_t>(i * product.c_stride + j)]) -
                                          product.expected(i, j)));
          }
        }
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        CAPTURE(flipped);
        CHECK(worst < 1e-5);
      }
    }
  }
}

TEST_CASE("a product of few rows has the same bits on any number of threads") {
  const Threads as_before;
  for (const bool flipped : {false, true}) {
    for (const Product& product :
         {Product{3, 1000, 300, flipped, true}, Product{1, 208, 6000, flipped, true}}) {
      set_threads(1);
      const std::vector<real> alone = product.result();
      for (int count = 2; count <= 4; ++count) {
        set_threads(count);
        CHECK(product.result() == alone);
      }
    }
  }
}

}  // namespace
}  // namespace calque
