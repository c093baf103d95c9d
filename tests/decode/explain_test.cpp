// An explanation fits the translation that it explains.
#include "decode/explain.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/vocabulary.h"
#include "decode/plain_decoding.h"

namespace calque {
namespace {

TEST_CASE("an explanation's parts fit its tokens, and its logits are the model's") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    const auto source = random_sources(variant.options.source_vocabulary, 1, 6, 3).front();
    TranslationOptions options;
    options.max_length = 6;
    const Explanation told = explain(model.transformer, source, options);
    REQUIRE(told.target_tokens.back() == end_id);
    REQUIRE(told.logits.size() == told.target_tokens.size());
    CHECK(told.beam.empty());
    CHECK(told.source_tokens.size() == source.size() + 1);
    const auto heads = static_cast<size_t>(variant.options.heads * 2);
    for (const auto* list : {&told.encoder_self, &told.decoder_self, &told.cross}) {
      REQUIRE(list->size() == heads);
      for (const ExplainedHead& head : *list) {
        for (int64_t row = 0; row < head.weights.rows; ++row) {
          const auto begin = head.weights.values.begin() + row * head.weights.columns;
          CHECK(std::accumulate(begin, begin + head.weights.columns, 0.0) == doctest::Approx(1));
        }
      }
    }
    for (size_t t = 0; t < told.logits.size(); ++t) {
      CAPTURE(t);
      const auto& row = told.logits[t];
      const std::vector<int32_t> before(told.target_tokens.begin(),
                                        told.target_tokens.begin() + static_cast<int64_t>(t));
      const auto expected = next_log_probabilities(model.transformer, source, before);
      for (size_t id = 1; id < row.size(); ++id) {
        CHECK(std::abs((row[id] - row[0]) - (expected[id] - expected[0])) < 1e-5);
      }
    }
  }
}

TEST_CASE("a beam's tree holds the translation from its root to the best leaf") {
  const SmallModel model = decided_model(small_options(), 15);
  TranslationOptions options;
  options.beam = 3;
  options.max_length = 6;
  for (const auto& source : random_sources(13, 5, 8, 59)) {
    const Explanation told = explain(model.transformer, source, options);
    std::vector<int32_t> path;
    REQUIRE(std::ranges::count(told.beam, BeamFate::best, &BeamNode::fate) == 1);
    for (auto at = static_cast<int>(std::ranges::find(told.beam, BeamFate::best, &BeamNode::fate) -
                                    told.beam.begin());
         at >= 0; at = told.beam[at].parent) {
      CHECK(told.beam[at].parent < at);
      CHECK(told.beam[at].fate != BeamFate::pruned);
      path.insert(path.begin(), told.beam[at].token);
    }
    CHECK(path == told.target_tokens);
  }
}

}  // namespace
}  // namespace calque
