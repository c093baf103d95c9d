// The nearest tokens of an embedding table, by hand.
#include "decode/embedding_neighbours.h"

#include <doctest/doctest.h>

#include <cmath>

namespace calque {
namespace {

// <unk>, <s>, </s>, and four tokens in a plane.
Tensor table() {
  Tensor rows({7, 2});
  const real values[] = {9, 9, 9, 9, 9, 9, /*3*/ 1, 0, /*4*/ 4, 4, /*5*/ 0, 2, /*6*/ -3, 0};
  std::copy(std::begin(values), std::end(values), rows.data());
  return rows;
}

TEST_CASE("the neighbours of a token are those at the smallest angles, without special symbols") {
  const auto found = embedding_neighbours(table(), {3, 2, 5, 3}, 2);
  REQUIRE(found.size() == 2);  // 3 once, and no </s>
  CHECK(found[0].token == 3);
  REQUIRE(found[0].nearest.size() == 2);
  CHECK(found[0].nearest[0].row == 4);
  CHECK(found[0].nearest[0].cosine == doctest::Approx(std::sqrt(0.5)));
  CHECK(found[0].nearest[1].row == 5);
  CHECK(found[0].nearest[1].cosine == doctest::Approx(0));
  CHECK(found[1].nearest[0].row == 4);
}

TEST_CASE("a small vocabulary has fewer neighbours than requested, in a fixed order") {
  const auto found = embedding_neighbours(table(), {4}, 10);
  REQUIRE(found.front().nearest.size() == 3);
  CHECK(found.front().nearest[0].row == 3);  // as near as 5
  CHECK(found.front().nearest[1].row == 5);
  CHECK(found.front().nearest[2].row == 6);
}

}  // namespace
}  // namespace calque
