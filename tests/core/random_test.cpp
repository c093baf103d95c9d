#include "core/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/parallel.h"

using namespace calque;

// The known answers published with the authors' implementation (Random123, kat_vectors).
TEST_CASE("Philox gives the published known answers") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) ==
        PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a prefix of a random fill is the fill of the prefix") {
  std::vector<real> whole(1001), part(77);
  fill_normal({.seed = 3, .use = 5}, 0, 1, whole);
  fill_normal({.seed = 3, .use = 5}, 0, 1, part);
  CHECK(std::equal(part.begin(), part.end(), whole.begin()));
}

TEST_CASE("streams that differ in one field differ") {
  const PhiloxBlock first = random_block({.seed = 1, .step = 2, .part = 3, .use = 4}, 0);
  CHECK(first != random_block({.seed = 2, .step = 2, .part = 3, .use = 4}, 0));
  CHECK(first != random_block({.seed = 1, .step = 3, .part = 3, .use = 4}, 0));
  CHECK(first != random_block({.seed = 1, .step = 2, .part = 4, .use = 4}, 0));
  CHECK(first != random_block({.seed = 1, .step = 2, .part = 3, .use = 5}, 0));
}

TEST_CASE("normal and uniform fills have their mean and deviation") {
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
  CHECK(moments().second == doctest::Approx(4 / std::sqrt(12.0)).epsilon(0.01));
  CHECK(*std::min_element(values.begin(), values.end()) > -1);
  CHECK(*std::max_element(values.begin(), values.end()) < 3);
}

TEST_CASE("below() reaches every value and a shuffle is a permutation") {
  Random random({.seed = 9});
  std::vector<int> seen(7);
  for (int i = 0; i < 7000; ++i) ++seen[random.below(7)];
  for (const int count : seen) CHECK(std::abs(count - 1000) < 150);
  std::vector<int> order(100);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  CHECK(!std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (int i = 0; i < 100; ++i) CHECK(order[i] == i);
}
