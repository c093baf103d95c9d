// An explanation fits the translation that it explains.
#include "decode/explain.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/tokenizers/vocabulary.h"
#include "decode/plain_decoding.h"
#include "nn/small_language_model.h"

namespace calque {
namespace {

TEST_CASE("an explanation's parts fit its tokens, and its logits are the model's") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    const auto source = random_sources(variant.options.source_vocabulary, 1, 6, 3).front();
    TranslationOptions options;
    options.max_length = 6;
    const Explanation explanation = explain(model.transformer, source, options);
    REQUIRE(explanation.target_tokens.back() == end_id);
    REQUIRE(explanation.logits.size() == explanation.target_tokens.size());
    CHECK(explanation.beam.empty());
    CHECK(explanation.source_tokens.size() == source.size() + 1);
    const auto heads = static_cast<size_t>(variant.options.layer.heads * 2);
    for (const auto* list :
         {&explanation.encoder_self, &explanation.decoder_self, &explanation.cross}) {
      REQUIRE(list->size() == heads);
      for (const ExplainedHead& head : *list) {
        for (int64_t row = 0; row < head.weights.rows; ++row) {
          const auto begin = head.weights.values.begin() + row * head.weights.columns;
          CHECK(std::accumulate(begin, begin + head.weights.columns, 0.0) == doctest::Approx(1));
        }
      }
    }
    for (size_t t = 0; t < explanation.logits.size(); ++t) {
      CAPTURE(t);
      const auto& row = explanation.logits[t];
      const std::vector<int32_t> before(
          explanation.target_tokens.begin(),
          explanation.target_tokens.begin() + static_cast<int64_t>(t));
      const auto expected = next_log_probabilities(model.transformer, source, before);
      for (size_t id = 1; id < row.size(); ++id) {
        CHECK(std::abs((row[id] - row[0]) - (expected[id] - expected[0])) < 1e-5);
      }
    }
  }
}

TEST_CASE("without source_end, only an empty source has </s> in the explanation") {
  TransformerOptions small = small_options();
  small.source_end = false;
  const SmallModel model(small);
  TranslationOptions options;
  options.max_length = 4;
  const Explanation explanation = explain(model.transformer, {4, 5, 6}, options);
  CHECK(explanation.source_tokens == std::vector<int32_t>{4, 5, 6});
  for (const ExplainedHead& head : explanation.cross) CHECK(head.weights.columns == 3);
  CHECK(explain(model.transformer, {}, options).source_tokens == std::vector<int32_t>{end_id});
  const auto expected = next_log_probabilities(model.transformer, {4, 5, 6}, {});
  const auto& row = explanation.logits.front();
  for (size_t id = 1; id < row.size(); ++id) {
    CHECK(std::abs((row[id] - row[0]) - (expected[id] - expected[0])) < 1e-5);
  }
}

TEST_CASE("the path from the root of the beam's tree to the best node is the translation") {
  const SmallModel model = decided_model(small_options(), 15);
  TranslationOptions options;
  options.beam = 3;
  options.max_length = 6;
  for (const auto& source : random_sources(13, 5, 8, 59)) {
    const Explanation explanation = explain(model.transformer, source, options);
    std::vector<int32_t> path;
    REQUIRE(std::ranges::count(explanation.beam, BeamFate::best, &BeamNode::fate) == 1);
    for (auto at =
             static_cast<int>(std::ranges::find(explanation.beam, BeamFate::best, &BeamNode::fate) -
                              explanation.beam.begin());
         at >= 0; at = explanation.beam[at].parent) {
      CHECK(explanation.beam[at].parent < at);
      CHECK(explanation.beam[at].fate != BeamFate::pruned);
      path.insert(path.begin(), explanation.beam[at].token);
    }
    CHECK(path == explanation.target_tokens);
  }
}

TEST_CASE("a text's explanation has the language model's logits and every head of every layer") {
  for (const LanguageModelVariant& variant : language_model_variants()) {
    CAPTURE(variant.name);
    const SmallLanguageModel small(variant.options);
    const std::vector<int32_t> prompt = {begin_id, 4, 9, 3}, continuation = {7, 7, end_id};
    const Explanation explanation = explain_text(small.model, prompt, continuation);
    CHECK(explanation.target_tokens == std::vector<int32_t>{4, 9, 3, 7, 7, end_id});
    CHECK(explanation.given == 3);
    CHECK(explanation.source_tokens.empty());
    CHECK((explanation.encoder_self.empty() && explanation.cross.empty() &&
           explanation.beam.empty()));
    const PositionKind positions = variant.options.layer.positions;
    CHECK(explanation.positions.rows == (positions == PositionKind::rotary    ? 0
                                         : positions == PositionKind::learned ? 16
                                                                              : 64));
    const auto heads = static_cast<size_t>(variant.options.layer.heads);
    REQUIRE(explanation.decoder_self.size() == 2 * heads);
    for (size_t i = 0; i < 2 * heads; ++i) {
      const ExplainedHead& head = explanation.decoder_self[i];
      CHECK(head.layer == static_cast<int>(i / heads));
      CHECK(head.head == static_cast<int>(i % heads));
      REQUIRE(head.weights.columns == 6);
      for (int64_t row = 0; row < 6; ++row) {
        const auto begin = head.weights.values.begin() + row * 6;
        CHECK(std::accumulate(begin, begin + row + 1, 0.0) == doctest::Approx(1));
        CHECK(std::accumulate(begin + row + 1, begin + 6, 0.0) == 0);
      }
    }
    std::vector<int32_t> read = {begin_id};
    for (size_t t = 0; t < explanation.logits.size(); ++t) {
      const auto expected = next_log_probabilities(small.model, read);
      for (size_t id = 1; id < expected.size(); ++id) {
        const double difference = explanation.logits[t][id] - explanation.logits[t][0];
        CHECK(std::abs(difference - (expected[id] - expected[0])) < 1e-5);
      }
      read.push_back(explanation.target_tokens[t]);
    }
  }
  const SmallLanguageModel small(small_language_model_options());
  CHECK_THROWS_AS(explain_text(small.model, {begin_id}, {}), Misuse);
}

}  // namespace
}  // namespace calque
