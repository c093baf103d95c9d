// Scoring reads a pair at once; its number is that of asking for one token after the other.
#include "decode/score.h"

#include <doctest/doctest.h>

#include "decode/alignment.h"
#include "decode/plain_decoding.h"

namespace calque {
namespace {

TEST_CASE("a pair's score is the sum of its tokens' log-probabilities, whatever its batch") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    const auto sources = random_sources(variant.options.source_vocabulary, 7, 6, 3);
    auto targets = random_sources(variant.options.target_vocabulary, 7, 6, 4);
    targets[2].clear();
    for (const int64_t batch_tokens : {1, 9, 1000}) {
      const auto scores = score_pairs(model.transformer, sources, targets, batch_tokens);
      REQUIRE(scores.size() == 7);
      for (size_t i = 0; i < scores.size(); ++i) {
        CHECK(scores[i].tokens == std::ssize(targets[i]) + 1);
        CHECK(scores[i].log_probability ==
              doctest::Approx(log_probability(model.transformer, sources[i], targets[i]))
                  .epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("every written token looked at one of its source's, and at none of no source's") {
  const SmallModel model(small_options());
  const auto places =
      attended_places(model.transformer, {{4, 5, 6}, {}, {7}}, {{8, 9}, {3, 3}, {5, 5, 5}});
  REQUIRE(places.size() == 3);
  CHECK(places[0].size() == 2);
  for (const int32_t place : places[0]) CHECK((place >= 0 && place < 3));
  CHECK(places[1].empty());
  CHECK(places[2] == std::vector<int32_t>{0, 0, 0});
}

}  // namespace
}  // namespace calque
