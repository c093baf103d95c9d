// Products whose operands are rounded to bfloat16: the rounding against plain arithmetic, products
// against sums in double over rounded operands, and the same bits however they are split.

#include "core/products/bfloat16.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

#include "core/ops.h"
#include "core/processor.h"
#include "core/product_fixture.h"
#include "core/products/bfloat16_products.h"
#include "core/products/blas.h"
#include "core/tape.h"
#include "support/sanitized.h"
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

constexpr size_t width = lanes;  // of a vector

float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

// Sizes on both sides of every tile, panel and block, a block being 1,024 numbers deep.
constexpr ProductCase cases[] = {{13, 31, 17},    {97, 65, 255},   {24, 530, 40}, {200, 7, 513},
                                 {61, 129, 1200}, {129, 96, 1025}, {48, 48, 1},   {12, 32, 2048}};

#ifdef __AVX512BF16__
#define BFLOAT16_ARITHMETICS Bfloat16Emulated, Bfloat16InHardware
#else
#define BFLOAT16_ARITHMETICS Bfloat16Emulated
#endif

// Whether this processor has the instructions.
template <class Arithmetic>
bool runs() {
  return std::is_same_v<Arithmetic, Bfloat16Emulated> || processor_has(Extension::avx512_bf16);
}

Product product_of(const ProductCase& c) { return Product(c, Precision::bfloat16); }

}  // namespace

TEST_CASE_TEMPLATE("numbers are rounded to the nearest bfloat16, ties to even", Arithmetic,
                   BFLOAT16_ARITHMETICS) {
  if (!runs<Arithmetic>()) return;
  std::vector<real> values = numbers(4096, 7);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(values[i], static_cast<int>(i % 64) - 32);
  for (const uint32_t bits : {0x3f808000U, 0x3f818000U, 0x3f807fffU, 0x3f808001U, 0xbf818000U, 0U,
                              0x80000000U, 0x7f800000U, 0xff800000U, 0x7f7fffffU, 0x7f7f7fffU,
                              0x00800000U, 0x3f800000U, 0xc2f70000U, 0x40490fdbU, 0x7f7f0000U}) {
    values.push_back(float_of(bits));
  }
  values.resize(static_cast<size_t>(round_up(std::ssize(values), 2 * lanes)), 1);
  for (size_t i = 0; i < values.size(); i += 2 * width) {
    const Vec low = load(&values[i]), high = load(&values[i + width]);
    const auto pairs = reinterpret_cast<Words>(Arithmetic::pairs(low, high));
    const auto neighbours = reinterpret_cast<Words>(Arithmetic::neighbours(low, high));
    for (size_t lane = 0; lane < width; ++lane) {
      const real x = values[i + lane], y = values[i + width + lane];
      CAPTURE(x);
      CHECK(float_of(pairs[lane] << 16) == float(rounded_to_8_bits(double(x))));
      CHECK(float_of(pairs[lane] & 0xffff0000U) == float(rounded_to_8_bits(double(y))));
      const real* const pair = &values[i + 2 * lane];
      CHECK(float_of(neighbours[lane] << 16) == float(rounded_to_8_bits(double(pair[0]))));
      CHECK(float_of(neighbours[lane] & 0xffff0000U) == float(rounded_to_8_bits(double(pair[1]))));
    }
  }
}

TEST_CASE_TEMPLATE("NaN stays NaN, and infinities stay infinite", Arithmetic,
                   BFLOAT16_ARITHMETICS) {
  if (!runs<Arithmetic>()) return;
  const float nan = float_of(0x7f800001U), infinity = std::numeric_limits<float>::infinity();
  const auto of_nan = rounded_to_bfloat16(broadcast_bits(&nan));
  CHECK(std::isnan(float_of(of_nan[3])));
  const auto pairs =
      reinterpret_cast<Words>(Arithmetic::pairs(broadcast(infinity), broadcast_bits(&nan)));
  CHECK(float_of(pairs[3] << 16) == infinity);
  CHECK(std::isnan(float_of(pairs[3] & 0xffff0000U)));
}

TEST_CASE_TEMPLATE("the sums of products of pairs are exact up to rounding", Arithmetic,
                   BFLOAT16_ARITHMETICS) {
  if (!runs<Arithmetic>()) return;
  const std::vector<real> a = numbers(2 * lanes, 1), b = numbers(2 * lanes, 2),
                          t = numbers(lanes, 3);
  const Vec left = Arithmetic::neighbours(load(&a[0]), load(&a[width]));
  const Vec right = Arithmetic::neighbours(load(&b[0]), load(&b[width]));
  const Vec sums = Arithmetic::add_products(load(t.data()), left, right);
  for (size_t i = 0; i < width; ++i) {
    const double expected =
        double(t[i]) + rounded_to_8_bits(double(a[2 * i])) * rounded_to_8_bits(double(b[2 * i])) +
        rounded_to_8_bits(double(a[2 * i + 1])) * rounded_to_8_bits(double(b[2 * i + 1]));
    CHECK(std::abs(double(sums[int(i)]) - expected) < 3e-7);
  }
}

TEST_CASE("products equal the sums over rounded operands, for all transpositions and edges") {
  for (const ProductCase& c : cases) {
    const std::vector<real> bias = numbers(c.n, 4);
    for (int bits = 0; bits < 16; bits += sanitized ? 5 : 1) {
      const Product product =
          product_of({c.m, c.n, c.k, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
      const Finish finish = (bits & 8) != 0 ? Finish{bias.data(), true} : Finish{nullptr, false};
      CAPTURE(c.m);
      CAPTURE(c.n);
      CAPTURE(c.k);
      CAPTURE(bits);
      CHECK(product.error(product.by_gemm(real(0.5), finish), 0.5, finish) <
            1e-7 * static_cast<double>(c.k + 8));
    }
  }
}

TEST_CASE("the product by each unit that the processor has equals the sums over rounded operands") {
  using product::Bfloat16Unit;
  for (const Bfloat16Unit unit : {Bfloat16Unit::avx512, Bfloat16Unit::amx}) {
    if (unit > product::bfloat16_unit()) continue;
    const product::BlockProduct& by_unit = *product::bfloat16_product(unit);
    for (const ProductCase& c : cases) {
      const Product product = product_of(c);
      const Strided a = strided(product.left());
      Buffer<real> scratch(by_unit.scratch(product.size(), a));
      std::vector<real> sums = product.start;
      by_unit.multiply(product.size(), a, {strided(product.right())},
                       {{sums.data(), c.add}, product.c_stride()}, scratch.data());
      CHECK(product.error(sums, 1) < 1e-7 * static_cast<double>(c.k + 8));
    }
  }
}

TEST_CASE("a product in bfloat16 has the same bits however it is split") {
  for (int bits = 0; bits < 4; ++bits) {
    const Product product = product_of({150, 170, 1300, (bits & 1) != 0, (bits & 2) != 0});
    CHECK(product.by_block_product(real(0.5), 37, 51) == product.by_gemm(real(0.5)));
  }
}

TEST_CASE("a product in bfloat16 has the same bits on any number of threads") {
  const Threads as_before;
  for (const ProductCase& c :
       {ProductCase{700, 130, 300}, ProductCase{130, 700, 1100}, ProductCase{128, 384, 4096}}) {
    for (int bits = 0; bits < 4; bits += sanitized ? 3 : 1) {
      const Product product = product_of({c.m, c.n, c.k, (bits & 1) != 0, (bits & 2) != 0, true});
      set_threads(1);
      const std::vector<real> alone = product.by_gemm(real(0.5));
      for (int count = 2; count <= 4; ++count) {
        set_threads(count);
        CHECK(product.by_gemm(real(0.5)) == alone);
      }
    }
  }
}

TEST_CASE("a batch of products is in bfloat16 on every thread") {
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
  const Product product = product_of({100, 40, 64});
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

TEST_CASE(
    "gradients of a linear layer in bfloat16 are close to those in full precision, not equal") {
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
