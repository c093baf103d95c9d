// Products whose operands are rounded to bfloat16: the rounding against one by hand, the products
// against sums in double over rounded operands, and the same bits however they are cut.

#include "core/bfloat16.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "core/blas.h"
#include "core/block_product.h"
#include "core/memory.h"
#include "core/ops.h"
#include "core/random.h"
#include "core/tape.h"
#include "support/threads.h"

using namespace calque;

#ifdef CALQUE_DOUBLE

TEST_CASE("the double build has no products in bfloat16") {
  CHECK_THROWS_WITH_AS(ProductPrecision(Precision::bfloat16), doctest::Contains("real = double"),
                       Misuse);
  CHECK(ProductPrecision::current() == Precision::full);
}

#else

namespace {

// The nearest number with 8 significant bits, by arithmetic: rint rounds ties to even.
double rounded(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::rint(std::ldexp(fraction, 8)), exponent - 8);
}

std::vector<real> numbers(int64_t count, uint64_t stream) {
  std::vector<real> values(static_cast<size_t>(count));
  fill_uniform({.seed = stream}, -1, 1, values);
  return values;
}

float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

// Sizes on both sides of every tile, panel and block, a block being 1,024 numbers deep.
struct Case {
  int64_t m, n, k;
};
constexpr Case cases[] = {{13, 31, 17},    {97, 65, 255},   {24, 530, 40}, {200, 7, 513},
                          {61, 129, 1200}, {129, 96, 1025}, {48, 48, 1},   {12, 32, 2048}};

// A matrix with rows further apart than they are long: a product that read what is between them
// would not come to a number.
std::vector<real> with_gaps(int64_t rows, int64_t cols, int64_t stride, uint64_t stream) {
  const std::vector<real> values = numbers(rows * cols, stream);
  std::vector<real> all(static_cast<size_t>(rows * stride), std::numeric_limits<real>::quiet_NaN());
  for (int64_t r = 0; r < rows; ++r) {
    std::copy_n(values.begin() + r * cols, cols, all.begin() + r * stride);
  }
  return all;
}

struct Product {
  Product(Case c, bool flip_a, bool flip_b)
      : size(c),
        a_flipped(flip_a),
        b_flipped(flip_b),
        a(with_gaps(flip_a ? c.k : c.m, a_stride() - 3, a_stride(), 1)),
        b(with_gaps(flip_b ? c.n : c.k, b_stride() - 5, b_stride(), 2)),
        start(numbers(c.m * c_stride(), 3)),
        bias(numbers(c.n, 4)) {}

  int64_t a_stride() const { return (a_flipped ? size.m : size.k) + 3; }
  int64_t b_stride() const { return (b_flipped ? size.k : size.n) + 5; }
  int64_t c_stride() const { return size.n + 2; }
  Matrix left() const {
    const Matrix lying(a.data(), a_flipped ? size.k : size.m, a_stride() - 3, a_stride());
    return a_flipped ? transposed(lying) : lying;
  }
  Matrix right() const {
    const Matrix lying(b.data(), b_flipped ? size.n : size.k, b_stride() - 5, b_stride());
    return b_flipped ? transposed(lying) : lying;
  }
  std::vector<real> by_gemm(bool add, Finish finish = {}) const {
    const ProductPrecision rounding(Precision::bfloat16);
    std::vector<real> c = start;
    gemm(left(), right(), {c.data(), add}, real(0.5), c_stride(), finish);
    return c;
  }
  // In blocks of rows and columns that begin anywhere.
  std::vector<real> in_cuts() const {
    std::vector<real> c = start;
    const Strided all_a = strided(left()), all_b = strided(right());
    Buffer<real> scratch(
        block_product_scratch({size.m, size.n, size.k}, all_a, Precision::bfloat16));
    for (int64_t row = 0; row < size.m; row += 37) {
      for (int64_t col = 0; col < size.n; col += 51) {
        block_product(
            {std::min<int64_t>(37, size.m - row), std::min<int64_t>(51, size.n - col), size.k},
            all_a.from(row, 0), all_b.from(0, col),
            {{c.data() + row * c_stride() + col, false}, c_stride(), real(0.5)}, scratch.data(),
            Precision::bfloat16);
      }
    }
    return c;
  }
  double sum(int64_t i, int64_t j) const {
    double total = 0;
    for (int64_t p = 0; p < size.k; ++p) {
      const int64_t in_a = a_flipped ? p * a_stride() + i : i * a_stride() + p;
      const int64_t in_b = b_flipped ? j * b_stride() + p : p * b_stride() + j;
      total += rounded(double(a[static_cast<size_t>(in_a)])) *
               rounded(double(b[static_cast<size_t>(in_b)]));
    }
    return total;
  }
  // The largest difference from the sums in double; numbers between the rows must be untouched.
  double error(const std::vector<real>& c, bool add, Finish finish = {}) const {
    double worst = 0;
    for (int64_t i = 0; i < size.m; ++i) {
      for (int64_t j = 0; j < c_stride(); ++j) {
        const auto at = static_cast<size_t>(i * c_stride() + j);
        double right_answer = double(start[at]);
        if (j < size.n) {
          right_answer = (add ? right_answer : 0) + 0.5 * sum(i, j);
          if (finish.bias) right_answer += double(finish.bias[j]);
          if (finish.relu) right_answer = std::max(0.0, right_answer);
        }
        const double difference = std::abs(double(c[at]) - right_answer);
        if (std::isnan(difference)) return difference;  // which is below no bound
        worst = std::max(worst, difference);
      }
    }
    return worst;
  }

  Case size;
  bool a_flipped, b_flipped;
  std::vector<real> a, b, start, bias;
};

}  // namespace

TEST_CASE("numbers are rounded to the nearest bfloat16, ties to even, either way it is done") {
  std::vector<real> values = numbers(4096, 7);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(values[i], static_cast<int>(i % 64) - 32);
  for (const uint32_t bits : {0x3f808000U, 0x3f818000U, 0x3f807fffU, 0x3f808001U, 0xbf818000U, 0U,
                              0x80000000U, 0x7f800000U, 0xff800000U, 0x7f7fffffU, 0x7f7f7fffU,
                              0x00800000U, 0x3f800000U, 0xc2f70000U, 0x40490fdbU, 0x7f7f0000U}) {
    values.push_back(float_of(bits));
  }
  CHECK(values.size() % 32 == 16);
  values.resize(values.size() + 16, 1);
  for (size_t i = 0; i < values.size(); i += 32) {
    const Vec low = load(&values[i]), high = load(&values[i + 16]);
    const auto pairs = reinterpret_cast<Words>(bfloat16_pairs(low, high));
    const auto neighbours = reinterpret_cast<Words>(bfloat16_neighbours(low, high));
    const auto pairs_by_hand = reinterpret_cast<Words>(bfloat16_by_hand::pairs(low, high));
    const auto neighbours_by_hand =
        reinterpret_cast<Words>(bfloat16_by_hand::neighbours(low, high));
    for (size_t lane = 0; lane < 16; ++lane) {
      CHECK(pairs_by_hand[lane] == pairs[lane]);
      CHECK(neighbours_by_hand[lane] == neighbours[lane]);
      const real x = values[i + lane], y = values[i + 16 + lane];
      CAPTURE(x);
      CHECK(float_of(pairs[lane] << 16) == float(rounded(double(x))));
      CHECK(float_of(pairs[lane] & 0xffff0000U) == float(rounded(double(y))));
      const real* const pair = &values[i + 2 * lane];
      CHECK(float_of(neighbours[lane] << 16) == float(rounded(double(pair[0]))));
      CHECK(float_of(neighbours[lane] & 0xffff0000U) == float(rounded(double(pair[1]))));
    }
  }
}

TEST_CASE("what is not a number stays so, and infinities stay infinite") {
  const float nan = float_of(0x7f800001U), infinity = std::numeric_limits<float>::infinity();
  const auto of_nan = bfloat16_by_hand::rounded(broadcast_bits(&nan));
  CHECK(std::isnan(float_of(of_nan[3])));
  const auto pairs =
      reinterpret_cast<Words>(bfloat16_pairs(broadcast(infinity), broadcast_bits(&nan)));
  CHECK(float_of(pairs[3] << 16) == infinity);
  CHECK(std::isnan(float_of(pairs[3] & 0xffff0000U)));
}

TEST_CASE("the processor's sum of products and the one any processor has agree to rounding") {
  const std::vector<real> a = numbers(32, 1), b = numbers(32, 2), t = numbers(16, 3);
  const Vec left = bfloat16_neighbours(load(&a[0]), load(&a[16]));
  const Vec right = bfloat16_neighbours(load(&b[0]), load(&b[16]));
  const Vec one = add_products_of_pairs(load(t.data()), left, right);
  const Vec other = bfloat16_by_hand::add_products(load(t.data()), left, right);
  for (size_t i = 0; i < 16; ++i) {
    const double expected = double(t[i]) + rounded(double(a[2 * i])) * rounded(double(b[2 * i])) +
                            rounded(double(a[2 * i + 1])) * rounded(double(b[2 * i + 1]));
    CHECK(std::abs(double(one[int(i)]) - expected) < 3e-7);
    CHECK(std::abs(double(other[int(i)]) - expected) < 3e-7);
  }
}

TEST_CASE("products equal the sums over rounded operands, for all transpositions and edges") {
  for (const Case& c : cases) {
    for (int bits = 0; bits < 16; ++bits) {
      const Product product(c, (bits & 1) != 0, (bits & 2) != 0);
      const bool add = (bits & 4) != 0;
      const Finish finish =
          (bits & 8) != 0 ? Finish{product.bias.data(), true} : Finish{nullptr, false};
      CAPTURE(c.m);
      CAPTURE(c.n);
      CAPTURE(c.k);
      CAPTURE(bits);
      CHECK(product.error(product.by_gemm(add, finish), add, finish) <
            1e-7 * static_cast<double>(c.k + 8));
    }
  }
}

TEST_CASE("a product in bfloat16 has the same bits wherever it is cut") {
  for (int bits = 0; bits < 4; ++bits) {
    const Product product({150, 170, 1300}, (bits & 1) != 0, (bits & 2) != 0);
    CHECK(product.in_cuts() == product.by_gemm(false));
  }
}

TEST_CASE("a product in bfloat16 has the same bits on any number of threads") {
  const Threads as_before;
  for (const Case& c : {Case{700, 130, 300}, Case{130, 700, 1100}, Case{128, 384, 4096}}) {
    for (int bits = 0; bits < 4; ++bits) {
      const Product product(c, (bits & 1) != 0, (bits & 2) != 0);
      set_threads(1);
      const std::vector<real> alone = product.by_gemm(true);
      for (int count = 2; count <= 4; ++count) {
        set_threads(count);
        CHECK(product.by_gemm(true) == alone);
      }
    }
  }
}

TEST_CASE("a batch of products is in bfloat16 on every thread that makes some of it") {
  const Threads as_before;
  const ProductPrecision rounding(Precision::bfloat16);
  const Tensor a = Tensor::of({40, 32, 64}, numbers(40 * 32 * 64, 1));
  const Tensor b = Tensor::of({40, 64, 48}, numbers(40 * 64 * 48, 2));
  const auto product = [&] {
    const Tensor y = matmul(a, b);
    return std::vector<real>(y.span().begin(), y.span().end());
  };
  const auto in_full = [&] {
    const ProductPrecision full(Precision::full);
    return product();
  };
  set_threads(1);
  const std::vector<real> alone = product();
  CHECK(alone != in_full());
  for (int count = 2; count <= 4; ++count) {
    set_threads(count);
    CHECK(product() == alone);
  }
}

TEST_CASE("a precision holds for its scope and its thread") {
  const Product product({100, 40, 64}, false, false);
  const auto in_scope = [&] {
    std::vector<real> c(100 * 40);
    gemm(product.left(), product.right(), c.data());
    return c;
  };
  const std::vector<real> before = in_scope();
  {
    const ProductPrecision rounding(Precision::bfloat16);
    CHECK(in_scope() != before);
    std::vector<real> elsewhere;
    std::thread([&] { elsewhere = in_scope(); }).join();
    CHECK(elsewhere == before);
    const ProductPrecision within(Precision::full);
    CHECK(in_scope() == before);
  }
  CHECK(in_scope() == before);
}

TEST_CASE("gradients of a linear layer in bfloat16 are near those in full, and not the same") {
  const auto gradients = [](Precision precision) {
    const ProductPrecision rounding(precision);
    const Tensor x = variable(Tensor::of({96, 64}, numbers(96 * 64, 1)));
    const Tensor w = variable(Tensor::of({64, 80}, numbers(64 * 80, 2)));
    const Tape tape;
    backward(sum(square(linear(x, w, {}, Activation::relu))));
    std::vector<real> all(x.gradient().span().begin(), x.gradient().span().end());
    all.insert(all.end(), w.gradient().span().begin(), w.gradient().span().end());
    return all;
  };
  const std::vector<real> exact = gradients(Precision::full), near = gradients(Precision::bfloat16);
  double difference = 0, size = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    difference += std::pow(double(near[i]) - double(exact[i]), 2);
    size += std::pow(double(exact[i]), 2);
  }
  CHECK(std::sqrt(difference / size) < 0.01);
  CHECK(difference > 0);
}

#endif
