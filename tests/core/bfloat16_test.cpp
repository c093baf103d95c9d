// Numbers rounded to bfloat16, emulated and in hardware, against plain arithmetic, and the products
// by each unit of the processor.

#include "core/products/bfloat16.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/processor.h"
#include "core/product_fixture.h"
#include "core/products/bfloat16_products.h"

using namespace calque;

#ifndef CALQUE_DOUBLE

namespace {

constexpr size_t width = lanes;  // of a vector

float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

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

TEST_CASE("the product by each unit that the processor has equals the sums over rounded operands") {
  using product::Bfloat16Unit;
  for (const Bfloat16Unit unit : {Bfloat16Unit::avx512, Bfloat16Unit::amx}) {
    if (unit > product::bfloat16_unit()) continue;
    const product::BlockProduct& by_unit = *product::bfloat16_product(unit);
    // Sizes on both sides of tiles, panels and blocks.
    for (const ProductCase& c : {ProductCase{13, 31, 17},
                                 {97, 65, 255},
                                 {24, 530, 40, true},
                                 {61, 129, 1200, false, true}}) {
      const Product product(c, Precision::bfloat16);
      const Strided a = strided(product.left());
      Buffer<real> scratch(by_unit.scratch(product.size(), a));
      std::vector<real> sums = product.start;
      by_unit.multiply(product.size(), a, {strided(product.right())},
                       {{sums.data(), c.add}, product.c_stride()}, scratch.data());
      CHECK(product.error(sums, 1) < 1e-7 * static_cast<double>(c.k + 8));
    }
  }
}

#endif
