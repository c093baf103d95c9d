// The masks of masked language modelling.
#include "data/documents/masking.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "data/tokenizers/vocabulary.h"

using namespace calque;

namespace {

std::vector<int32_t> text(int32_t size) {
  std::vector<int32_t> ids = {begin_id};
  for (int32_t i = 0; i < size; ++i) ids.push_back(special_ids + i % 40);
  ids.push_back(end_id);
  return ids;
}

}  // namespace

TEST_CASE("80% of chosen tokens become [MASK], 10% another token, and 10% stay") {
  const Masking masking{.share = 0.15, .seed = 7, .vocabulary = 1003};
  const std::vector<int32_t> original = text(40'000);
  std::vector<int32_t> ids = original;
  const std::vector<int32_t> expected = mask_tokens(ids, masking, 0, 0);
  double chosen = 0, masked = 0, kept = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (expected[i] == not_masked) {
      REQUIRE(ids[i] == original[i]);
      continue;
    }
    REQUIRE(expected[i] == original[i]);
    ++chosen;
    masked += ids[i] == 1003;
    kept += ids[i] == original[i];
  }
  CHECK(chosen / 40'000 == doctest::Approx(0.15).epsilon(0.05));
  CHECK(masked / chosen == doctest::Approx(0.8).epsilon(0.03));
  CHECK(kept / chosen == doctest::Approx(0.1).epsilon(0.15));
  CHECK(expected.front() == not_masked);
  CHECK(expected.back() == not_masked);
}

TEST_CASE("masks are a function of seed, epoch and window, and at least one token is chosen") {
  const auto masked = [](uint64_t seed, int64_t epoch, int64_t window) {
    std::vector<int32_t> ids = text(100);
    mask_tokens(ids, {.share = 0.2, .seed = seed, .vocabulary = 50}, epoch, window);
    return ids;
  };
  CHECK(masked(7, 1, 2) == masked(7, 1, 2));
  CHECK(masked(7, 1, 2) != masked(8, 1, 2));
  CHECK(masked(7, 1, 2) != masked(7, 2, 2));
  CHECK(masked(7, 1, 2) != masked(7, 1, 3));
  std::vector<int32_t> ids = text(1);
  CHECK(mask_tokens(ids, {.share = 0, .vocabulary = 50}, 0, 0) ==
        std::vector<int32_t>{not_masked, special_ids, not_masked});
}

TEST_CASE("whole words are chosen with all their tokens") {
  Masking masking{.share = 0.3, .seed = 3, .vocabulary = 50};
  for (int32_t id = 0; id < 50; ++id) masking.begins_word.push_back(id % 2 == 1);
  std::vector<int32_t> ids = text(200);  // ids 3 and 4 are a word, then 5 and 6, ...
  const std::vector<int32_t> expected = mask_tokens(ids, masking, 0, 0);
  for (size_t i = 1; i + 2 < ids.size(); i += 2) {
    CHECK((expected[i] == not_masked) == (expected[i + 1] == not_masked));
  }
}
