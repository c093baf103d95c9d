#include "core/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/ops/dropout_mask.h"
#include "core/threads/parallel.h"

using namespace calque;

// The answers are those in the file kat_vectors of the authors' implementation, Random123.
TEST_CASE("Philox gives the published known answers") {
  constexpr PhiloxBlock ones{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
  constexpr PhiloxBlock pi{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
  SUBCASE("with ten rounds") {
    CHECK(philox({0, 0, 0, 0}, {0, 0}) ==
          PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox(ones, {0xffffffff, 0xffffffff}) ==
          PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox(pi, {0xa4093822, 0x299f31d0}) ==
          PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  }
  SUBCASE("with seven rounds") {
    CHECK(philox({0, 0, 0, 0}, {0, 0}, 7) ==
          PhiloxBlock{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48});
    CHECK(philox(ones, {0xffffffff, 0xffffffff}, 7) ==
          PhiloxBlock{0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662});
    CHECK(philox(pi, {0xa4093822, 0x299f31d0}, 7) ==
          PhiloxBlock{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a});
  }
}

TEST_CASE(
    "dropout factors come from seven rounds of Philox, also those of a part of the elements") {
  const Stream stream{.seed = 0x123456789abcdef, .step = 2, .part = 3, .use = 4};
  const DropoutMask mask(stream, real(0.25));
  std::vector<real> all(1000), part(300);
  mask.factors(0, 1000, all.data());
  mask.factors(77, 300, part.data());
  CHECK(std::equal(part.begin(), part.end(), all.begin() + 77));
  // A group of 128 elements has 16 blocks. Its first 16 elements take the low halves of the blocks'
  // first words, the next 16 the high halves, the next 32 the halves of the second words, and so
  // on. Elements are dropped if their 16 bits are below 0.25 * 2^16 = 16384.
  for (uint32_t i = 0; i < 1000; ++i) {
    const uint32_t group = i / 128, within = i % 128, lane = within % 16;
    const PhiloxBlock block = philox({group * 16 + lane, 2, 3, 4}, {0x89abcdef, 0x1234567}, 7);
    const uint32_t word = block[within / 32], half = within / 16 % 2 ? word >> 16 : word & 0xffff;
    REQUIRE(all[i] == (half >= 16384 ? real(4) / 3 : real(0)));
  }
}

TEST_CASE("the first numbers of a normal fill do not depend on its length") {
  std::vector<real> whole(1001), part(77);
  fill_normal({.seed = 3, .use = 5}, 0, 1, whole);
  fill_normal({.seed = 3, .use = 5}, 0, 1, part);
  CHECK(std::equal(part.begin(), part.end(), whole.begin()));
}

TEST_CASE("streams that differ in one field give different numbers") {
  const PhiloxBlock first = random_block({.seed = 1, .step = 2, .part = 3, .use = 4}, 0);
  CHECK(first != random_block({.seed = 2, .step = 2, .part = 3, .use = 4}, 0));
  CHECK(first != random_block({.seed = 1, .step = 3, .part = 3, .use = 4}, 0));
  CHECK(first != random_block({.seed = 1, .step = 2, .part = 4, .use = 4}, 0));
  CHECK(first != random_block({.seed = 1, .step = 2, .part = 3, .use = 5}, 0));
}

TEST_CASE("normal and uniform fills have the requested mean, standard deviation and range") {
  std::vector<real> values(400000);
  const auto moments = [&] {
    double sum = 0, squares = 0;
    for (const real v : values) sum += v, squares += double(v) * v;
    const double mean = sum / double(values.size());
    return std::pair(mean, std::sqrt(squares / double(values.size()) - mean * mean));
  };
  fill_normal({.seed = 1}, 2, 3, values);
  CHECK(moments().first == doctest::Approx(2).epsilon(0.01));
  CHECK(moments().second == doctest::Approx(3).epsilon(0.01));
  fill_uniform({.seed = 1}, -1, 3, values);
  CHECK(moments().first == doctest::Approx(1).epsilon(0.01));
  CHECK(moments().second == doctest::Approx((3 - -1) / std::sqrt(12.0)).epsilon(0.01));
  CHECK(*std::min_element(values.begin(), values.end()) > -1);
  CHECK(*std::max_element(values.begin(), values.end()) < 3);
}

TEST_CASE("below() draws all values equally often, and shuffle() permutes") {
  Random random({.seed = 9});
  std::vector<int> seen(7);
  for (int i = 0; i < 7000; ++i) ++seen[random.below(7)];
  for (const int count : seen) CHECK(std::abs(count - 1000) < 150);  // 5 sigma
  std::vector<int> order(100);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  CHECK(!std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (int i = 0; i < 100; ++i) CHECK(order[i] == i);
}
