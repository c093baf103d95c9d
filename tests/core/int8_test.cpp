#include <doctest/doctest.h>

#include <cmath>

#include "core/ops.h"
#include "core/products/int8/kernel.h"
#include "core/products/int8/matrix.h"
#include "core/threads/parallel.h"
#include "product_fixture.h"
#include "support/threads.h"

using namespace calque;

namespace {

// Multiples of the scale of a row or column, by arithmetic in double.
std::vector<double> rounded(const std::vector<double>& numbers, double scale) {
  std::vector<double> result;
  for (const double x : numbers)
    result.push_back(scale > 0 ? std::nearbyint(x / scale) * scale : 0);
  return result;
}

std::vector<real> int8_product_of(const Product& product, real scale, Finish finish = {}) {
  const Int8Matrix b(product.right());
  std::vector<real> c = product.start;
  int8_product(product.left(), b, {c.data(), product.shape.add}, scale, product.c_stride(), finish);
  return c;
}

// The same product with operands that were rounded before, in double.
double error_of(const Product& product, const std::vector<real>& c, double scale, Finish finish) {
  const auto [m, n, k, flip_a, flip_b, add] = product.shape;
  const Int8Matrix b(product.right());
  double worst = 0;
  for (int64_t i = 0; i < m; ++i) {
    std::vector<double> row(product.a.begin() + i * product.a_stride(),
                            product.a.begin() + i * product.a_stride() + k);
    double most = 0;
    for (const double x : row) most = std::max(most, std::abs(x));
    row = rounded(row, most / 127);
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += row[static_cast<size_t>(p)] * double(b.at(p, j));
      const auto at = static_cast<size_t>(i * product.c_stride() + j);
      double expected = scale * sum + (add ? double(product.start[at]) : 0);
      if (finish.bias) expected += double(finish.bias[j]);
      if (finish.relu) expected = std::max(0.0, expected);
      worst = worse(worst, std::abs(double(c[at]) - expected));
    }
  }
  return worst;
}

constexpr ProductCase cases[] = {{1, 1, 1},
                                 {1, 64, 256},
                                 {2, 17, 5},
                                 {5, 130, 63, false, true},
                                 {33, 100, 64, false, false, true},
                                 {70, 48, 129, false, true},
                                 {200, 33, 300}};

}  // namespace

TEST_CASE("an int8 product multiplies the rounded numbers exactly") {
  for (const ProductCase& c : cases) {
    CAPTURE(c.m);
    CAPTURE(c.n);
    CAPTURE(c.k);
    const Product product(c);
    const std::vector<real> bias = numbers(c.n, 4);
    // A number in the middle between two integers may be rounded to either. Then a sum differs by a
    // number of b, which is below 1, times the scale of the row.
    const double tolerance = 2.0 / 127;
    CHECK(error_of(product, int8_product_of(product, 1), 1, {}) < tolerance);
    CHECK(error_of(product, int8_product_of(product, real(0.5), {bias.data(), true}), 0.5,
                   {bias.data(), true}) < tolerance);
  }
}

TEST_CASE("every kernel for int8 has the same integers") {
  using int8::Block, int8::Kernel, int8::most_panels, int8::sums_stride;
  for (const int64_t rows : {1, 2, 5, 17, 64}) {
    for (int64_t panels = 1; panels <= most_panels; ++panels) {
      constexpr int64_t lines = 48;
      std::vector<uint8_t> a(64 * lines * 4);
      std::vector<int8_t> b(most_panels * lines * 64);
      Random random({.seed = 7});
      for (uint8_t& x : a) x = static_cast<uint8_t>(1 + random.below(255));
      for (int8_t& x : b) x = static_cast<int8_t>(random.below(255) - 127);
      const auto sums_by = [&](Kernel kernel) {
        std::vector<int32_t> sums(64 * sums_stride);
        kernel({rows, lines, a.data(), lines * 4, b.data(), panels, sums.data()});
        std::vector<int32_t> wanted;
        for (int64_t r = 0; r < rows; ++r) {
          wanted.insert(wanted.end(), sums.begin() + r * sums_stride,
                        sums.begin() + r * sums_stride + panels * 16);
        }
        return wanted;
      };
      std::vector<int32_t> expected;
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t col = 0; col < panels * 16; ++col) {
          int32_t sum = 0;
          for (int64_t i = 0; i < lines * 4; ++i) {
            const int64_t line = col / 16 * lines + i / 4;
            sum += a[static_cast<size_t>(r * lines * 4 + i)] *
                   b[static_cast<size_t>(line * 64 + col % 16 * 4 + i % 4)];
          }
          expected.push_back(sum);
        }
      }
      for (const Kernel kernel :
           {int8::pairs(), int8::avx_vnni(), int8::avx512_vnni(), int8::amx()}) {
        if (kernel) CHECK(sums_by(kernel) == expected);
      }
    }
  }
}

TEST_CASE("rounding to int8 is exact the second time") {
  const Product product({1, 40, 70});
  const Int8Matrix once(product.right());
  std::vector<real> values;
  for (int64_t row = 0; row < 70; ++row) {
    for (int64_t col = 0; col < 40; ++col) values.push_back(once.at(row, col));
  }
  const Int8Matrix twice(Matrix(values.data(), 70, 40));
  for (int64_t col = 0; col < 40; ++col) {
    CHECK(twice.scales()[col] == once.scales()[col]);
    CHECK(twice.offsets()[col] == once.offsets()[col]);
    for (int64_t row = 0; row < 70; ++row) {
      CHECK(twice.at(row, col) == values[static_cast<size_t>(row * 40 + col)]);
    }
  }
}

TEST_CASE("a row of an int8 product depends on no other row and on no number of threads") {
  const Product product({100, 200, 300});
  const Int8Matrix b(product.right());
  const std::vector<real> together = int8_product_of(product, 1);
  for (const int count : {1, 2, 3}) {
    const Threads some(count);
    CHECK(int8_product_of(product, 1) == together);
  }
  for (int64_t row = 0; row < 100; ++row) {
    std::vector<real> alone(200);
    int8_product({product.left().data + row * product.a_stride(), 1, 300}, b, {alone.data(), false},
                 1, 200, {});
    CHECK(std::equal(alone.begin(), alone.end(), together.begin() + row * product.c_stride()));
  }
}

TEST_CASE("an int8 product of numbers that are not finite is not finite") {
  const Int8Matrix b(Product({1, 16, 64}).right());
  for (const real bad :
       {std::numeric_limits<real>::quiet_NaN(), std::numeric_limits<real>::infinity()}) {
    for (const size_t at : {size_t{0}, size_t{63}}) {
      std::vector<real> row = numbers(64, 5), c(16);
      row[at] = bad;
      int8_product({row.data(), 1, 64}, b, {c.data(), false}, 1, 16, {});
      for (const real x : c) CHECK_FALSE(std::isfinite(x));
    }
  }
}

TEST_CASE("linear and matmul use the rounded matrix of their right side") {
  const Tensor x = Tensor::of({3, 20}, numbers(60, 1)), w = Tensor::of({20, 5}, numbers(100, 2)),
               table = Tensor::of({5, 20}, numbers(100, 3));
  const Tensor exact = linear(x, w), exact_logits = matmul(x, table, Transpose::right);
  w.values().round_for_products(std::make_shared<Int8Matrix>(Matrix(w.values(), 20, 5)));
  table.values().round_for_products(
      std::make_shared<Int8Matrix>(transposed(Matrix(table.values(), 5, 20))));
  const auto furthest = [](const Tensor& a, const Tensor& b) {
    double most = 0;
    for (int64_t i = 0; i < a.size(); ++i) {
      most = worse(most, std::abs(double(a.data()[i]) - double(b.data()[i])));
    }
    return most;
  };
  for (const double difference : {furthest(linear(x, w), exact),
                                  furthest(matmul(x, table, Transpose::right), exact_logits)}) {
    CHECK(difference > 1e-5);
    CHECK(difference < 0.05);
  }
  // The orientation that was not rounded multiplies the numbers themselves.
  const Tensor y = Tensor::of({3, 5}, numbers(15, 4)), copy = Tensor::of({20, 5}, w.span());
  CHECK(furthest(matmul(y, w, Transpose::right), matmul(y, copy, Transpose::right)) == 0);
}
