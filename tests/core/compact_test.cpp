// Weights of 16, 8 and 4 bits: what rounding keeps, and that products with them are products with
// the numbers that they hold.
#include <doctest/doctest.h>

#include <cmath>

#include "core/half_precision.h"
#include "core/ops.h"
#include "core/parameters.h"
#include "core/products/compact/matrix.h"
#include "core/products/few_rows.h"
#include "product_fixture.h"
#include "support/threads.h"

using namespace calque;

namespace {

constexpr Precision forms[] = {Precision::bfloat16, Precision::q8_0, Precision::q4_0};

// The right side of a product, k x n, from a matrix without gaps; flipped if flip_b.
struct Compact {
  Compact(Precision form, int64_t k, int64_t n, bool flipped)
      : matrix(form, k, n, flipped), floats(numbers(k * n, 2)), rows(flipped ? n : k) {
    matrix.put_rows(0, rows, floats.data());
    matrix.copy_rows(0, rows, floats.data());
  }
  Matrix right() const {
    const Matrix plain(floats.data(), rows, std::ssize(floats) / rows);
    return matrix.flipped() ? transposed(plain) : plain;
  }
  Matrix compact_right() const {
    Matrix m = right();
    m.data = nullptr;
    m.compact = &matrix;
    return m;
  }
  CompactMatrix matrix;
  std::vector<real> floats;  // as they were rounded
  int64_t rows;
};

double furthest(const std::vector<real>& a, const std::vector<real>& b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = worse(most, std::abs(double(a[i]) - double(b[i])));
  return most;
}

const double tolerance = sizeof(real) == 4 ? 2e-4 : 1e-12;

}  // namespace

TEST_CASE("bfloat16 keeps 8 bits of precision, q8_0 integers up to 127 for each 32 numbers") {
  const std::vector<real> before = numbers(70 * 40, 2);
  const Compact half(Precision::bfloat16, 70, 40, false);
  for (size_t i = 0; i < before.size(); ++i) {
    CHECK(double(half.floats[i]) == rounded_to_8_bits(double(float(before[i]))));
  }
  const Compact blocks(Precision::q8_0, 70, 40, false);
  for (int64_t col = 0; col < 40; ++col) {
    for (int64_t first = 0; first < 70; first += 32) {
      double most = 0;
      for (int64_t r = first; r < std::min<int64_t>(70, first + 32); ++r) {
        most = std::max(most, std::abs(double(before[size_t(r * 40 + col)])));
      }
      for (int64_t r = first; r < std::min<int64_t>(70, first + 32); ++r) {
        const auto at = size_t(r * 40 + col);
        CHECK(std::abs(double(blocks.floats[at]) - double(before[at])) < most / 127 * 0.6);
      }
    }
  }
}

TEST_CASE("numbers that were rounded before are kept") {
  for (const Precision form : forms) {
    for (const bool flipped : {false, true}) {
      const Compact once(form, 70, 40, flipped);
      CompactMatrix twice(form, 70, 40, flipped);
      const int64_t length = flipped ? 70 : 40;
      for (int64_t first = 0; first < once.rows; first += 32) {
        twice.put_rows(first, std::min<int64_t>(32, once.rows - first),
                       once.floats.data() + first * length);
      }
      std::vector<real> again(once.floats.size());
      twice.copy_rows(0, once.rows, again.data());
      CHECK(again == once.floats);
      CHECK(twice.scales_by_rows() == once.matrix.scales_by_rows());
    }
  }
}

TEST_CASE("q4_0 keeps integers from -8 to 7 for each 32 numbers") {
  std::vector<float> block(32);
  for (int i = 0; i < 32; ++i) block[size_t(i)] = 0.25F * static_cast<float>(i % 17 - 8);
  std::vector<int8_t> integers(32);
  CHECK(round_to_q4_0(block, integers.data()) == 0.25F);  // of -2 and 2 the first is the largest
  for (int i = 0; i < 32; ++i) CHECK(integers[size_t(i)] == std::min(7, i % 17 - 8));
  // Products with a scale in half precision are kept, though the largest is not -8 of it.
  for (int i = 0; i < 32; ++i) block[size_t(i)] = 0.1875F * static_cast<float>(i % 11 - 3);
  const float scale = round_to_q4_0(block, integers.data());
  for (size_t i = 0; i < 32; ++i) CHECK(static_cast<float>(integers[i]) * scale == block[i]);
  CHECK(round_to_q4_0(std::vector<float>(32, 0.0F), integers.data()) == 0);
  CHECK(integers == std::vector<int8_t>(32, 0));
  block.assign(32, 0.0F), block[3] = -1e38F;
  CHECK(std::isfinite(round_to_q4_0(block, integers.data())));
}

TEST_CASE("a scale that fits a block in 4 bits has no larger error than the usual one") {
  const std::vector<real> many = numbers(32 * 50, 3);
  double usual = 0, fitted = 0;
  for (size_t first = 0; first < many.size(); first += 32) {
    const std::vector<float> block(many.begin() + int64_t(first),
                                   many.begin() + int64_t(first) + 32);
    std::vector<int8_t> integers(32);
    const auto error = [&](float scale) {
      double sum = 0;
      for (size_t i = 0; i < 32; ++i) {
        sum += std::pow(double(block[i]) - double(integers[i]) * double(scale), 2);
      }
      return sum;
    };
    const double before = error(round_to_q4_0(block, integers.data()));
    const double after = error(fit_to_q4_0(block, integers.data()));
    CHECK(after <= before + 1e-9);
    usual += before, fitted += after;
  }
  CHECK(fitted < 0.9 * usual);
}

TEST_CASE("q8_0 keeps the numbers of blocks of 4 and 5 bits") {
  std::vector<int8_t> integers(32);
  for (const float d : {0x1.234p-6F, -0x1.23p+3F}) {
    std::vector<float> block(32);
    for (int i = 0; i < 32; ++i) block[size_t(i)] = d * static_cast<float>(i % 26 - 16);
    const float scale = keep_in_q8_0(block, integers.data());
    for (size_t i = 0; i < 32; ++i) CHECK(static_cast<float>(integers[i]) * scale == block[i]);
  }
}

TEST_CASE("a block of zeros, of one number, and of numbers near 0 has a finite scale") {
  std::vector<int8_t> integers(32);
  CHECK(round_to_q8_0(std::vector<float>(32, 0.0F), integers.data()) == 0);
  CHECK(integers == std::vector<int8_t>(32, 0));
  std::vector<float> block(32, 0.0F);
  block[3] = -2.54F;
  CHECK(round_to_q8_0(block, integers.data()) == doctest::Approx(0.02F).epsilon(1e-3));
  CHECK(integers[3] == -127);
  block[3] = 1e-40F;
  CHECK(round_to_q8_0(block, integers.data()) == 0);
  block[3] = 1e38F;
  CHECK(std::isfinite(round_to_q8_0(block, integers.data())));
}

TEST_CASE("a product with a compact right side is the product with its numbers") {
  struct Case {
    int64_t m, n, k;
    bool flip_a = false, add = false;
  };
  for (const Precision form : forms) {
    for (const auto& [m, n, k, flip_a, add] :
         std::initializer_list<Case>{{1, 1, 1},
                                     {1, 64, 32},
                                     {2, 130, 33},
                                     {7, 65, 640, false, true},
                                     {32, 40, 70},
                                     {33, 300, 1100},
                                     {40, 70, 50, true},
                                     {90, 260, 40, false, true}}) {
      for (const bool flipped : {false, true}) {
        CAPTURE(m);
        CAPTURE(n);
        const Compact b(form, k, n, flipped);
        const std::vector<real> a = numbers(m * k, 1), bias = numbers(n, 4),
                                start = numbers(m * n, 5);
        const Matrix left = flip_a ? transposed({a.data(), k, m}) : Matrix(a.data(), m, k);
        std::vector<real> c = start, expected = start;
        const Finish finish{bias.data(), true};
        gemm(left, b.compact_right(), {c.data(), add}, real(0.5), n, finish);
        gemm(left, b.right(), {expected.data(), add}, real(0.5), n, finish);
        CHECK(furthest(c, expected) < tolerance);

        // The other orientation: c [m, k] = g [m, n] b^T.
        const std::vector<real> g = numbers(m * n, 6);
        const Matrix gradient = flip_a ? transposed({g.data(), n, m}) : Matrix(g.data(), m, n);
        std::vector<real> back = numbers(m * k, 7), expected_back = back;
        gemm(gradient, transposed(b.compact_right()), Sink{back.data(), add});
        gemm(gradient, transposed(b.right()), Sink{expected_back.data(), add});
        CHECK(furthest(back, expected_back) < tolerance);
      }
    }
  }
}

TEST_CASE("a product of many rows has the bits of the product with the numbers as floats") {
  struct Case {
    int64_t m, n, k;
    bool flip_a = false;
  };
  for (const auto precision : {Precision::full, Precision::bfloat16}) {
    if (precision == Precision::bfloat16 && sizeof(real) != sizeof(float)) continue;
    for (const Precision form : forms) {
      for (const auto& [m, n, k, flip_a] : std::initializer_list<Case>{
               {40, 31, 1}, {33, 300, 1500}, {50, 700, 640}, {40, 70, 50, true}, {130, 97, 1041}}) {
        for (const bool flipped : {false, true}) {
          for (const bool opposite : {false, true}) {
            CAPTURE(m);
            CAPTURE(opposite);
            const Compact b =
                opposite ? Compact(form, n, k, flipped) : Compact(form, k, n, flipped);
            const Matrix floats = opposite ? transposed(b.right()) : b.right();
            const Matrix compact = opposite ? transposed(b.compact_right()) : b.compact_right();
            const std::vector<real> a = numbers(m * k, 1), bias = numbers(n, 4);
            const Matrix left = flip_a ? transposed({a.data(), k, m}) : Matrix(a.data(), m, k);
            std::vector<real> c = numbers(m * n, 5), expected = c;
            const auto to = [&](std::vector<real>& numbers) {
              return Destination{{numbers.data(), true}, n, real(0.5), {bias.data(), true}};
            };
            Buffer<real> scratch(block_product_scratch({m, n, k}, strided(left), precision));
            block_product({m, n, k}, strided(left), strided(floats), to(expected), scratch.data(),
                          precision);
            const ProductPrecision products(precision);
            for (const int count : {1, 2}) {
              const Threads some(count);
              std::vector<real> sums = c;
              gemm(left, compact, to(sums).c, real(0.5), n, to(sums).finish);
              CHECK(sums == expected);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("with few rows, the sums have the bits of the product of few rows") {
  for (const Precision form : forms) {
    const Compact b(form, 640, 256, false);
    const std::vector<real> a = numbers(4 * 640, 1);
    std::vector<real> c(4 * 256), expected(4 * 256);
    gemm({a.data(), 4, 640}, b.compact_right(), c.data());
    few_rows_product({a.data(), 4, 640}, b.right(), {expected.data(), false}, 1, 256);
    CHECK(c == expected);
  }
}

TEST_CASE("no number of threads and no other row changes a compact product") {
  for (const Precision form : forms) {
    for (const int64_t rows : {int64_t{20}, int64_t{100}}) {
      const Compact b(form, 300, 500, true);
      const std::vector<real> a = numbers(rows * 300, 1), g = numbers(rows * 500, 2);
      const auto both = [&] {
        std::vector<real> c(static_cast<size_t>(rows * 500)), back(a.size());
        gemm({a.data(), rows, 300}, b.compact_right(), c.data());
        gemm({g.data(), rows, 500}, transposed(b.compact_right()), back.data());
        c.insert(c.end(), back.begin(), back.end());
        return c;
      };
      const std::vector<real> together = both();
      for (const int count : {1, 2, 3}) {
        const Threads some(count);
        CHECK(both() == together);
      }
      for (int64_t row = 0; rows == 20 && row < rows; ++row) {
        std::vector<real> alone(500);
        gemm({a.data() + row * 300, 1, 300}, b.compact_right(), alone.data());
        CHECK(std::equal(alone.begin(), alone.end(), together.begin() + row * 500));
      }
    }
  }
}

TEST_CASE("ops read compact parameters, which have no gradient and no values of full precision") {
  for (const Precision form : forms) {
    Parameters plain, compact;
    for (Parameters* each : {&plain, &compact}) {
      each->add("table", {40, 24}, Role::embedding, normal(1));
      each->add("weight", {24, 10}, Role::weight, normal(1));
      each->add("bias", {10}, Role::bias, normal(1));
    }
    plain.allocate();
    plain.initialise(3);
    compact.allocate(form);
    for (const Parameters::Entry& entry : plain.entries()) {
      const Parameters::Entry& to = *compact.find(entry.name);
      if (!to.compact()) {
        std::ranges::copy(entry.values(), to.values().begin());
        continue;
      }
      to.compact()->put_rows(0, entry.shape[0], entry.values().data());
      to.compact()->copy_rows(0, entry.shape[0], entry.values().data());
      CHECK_THROWS_AS(to.values(), Misuse);
      CHECK(to.frozen());
    }
    constexpr int64_t line = 64 / int64_t{sizeof(real)};
    CHECK(compact.flat_size() == (10 + line - 1) / line * line);  // the bias alone
    const std::vector<int32_t> ids = {3, no_token, 39, 3};
    const auto logits = [&](const Parameters& from) {
      const auto tensor = [&](const char* name) { return from.find(name)->tensor; };
      const Tensor x = embedding(tensor("table"), ids, real(2));
      const Tensor y = linear(x, tensor("weight"), tensor("bias"));
      std::vector<real> all(y.span().begin(), y.span().end());
      const Tensor z = matmul(x, tensor("table"), Transpose::right);
      all.insert(all.end(), z.span().begin(), z.span().end());
      return all;
    };
    CHECK(furthest(logits(compact), logits(plain)) < tolerance);
  }
}
