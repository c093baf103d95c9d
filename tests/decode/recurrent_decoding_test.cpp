// Search with a recurrent translator carries the cells' states and agrees with teacher forcing.
#include <doctest/doctest.h>

#include "decode/alignment.h"
#include "decode/explain.h"
#include "decode/score.h"
#include "nn/small_model.h"
#include "support/message_of.h"

namespace calque {
namespace {

SmallRecurrent small_recurrent(CellKind cell, ScoreKind score,
                               DecoderStart start = DecoderStart::bos) {
  RecurrentOptions options = small_recurrent_options();
  options.decoder_start = start;
  options.source_end = start == DecoderStart::bos;
  options.cell = cell;
  options.score = score;
  return SmallRecurrent(options, /*seed=*/3);
}

const std::vector<std::vector<int32_t>> sources = {{4, 5, 6, 7}, {8}, {9, 10, 11}, {}};

TEST_CASE("the probabilities of a recurrent translator's hypotheses are those of teacher forcing") {
  for (const auto& cell : cell_kinds) {
    for (const auto& score : score_kinds) {
      CAPTURE(cell.name);
      CAPTURE(score.name);
      const DecoderStart start =
          score.choice == ScoreKind::dot ? DecoderStart::zero : DecoderStart::bos;
      const SmallRecurrent small = small_recurrent(cell.choice, score.choice, start);
      const Translator models[] = {small.model};
      TranslationOptions options;
      options.beam = options.n_best = 3;
      options.max_length = 6;
      const auto found = translate(models, sources, options);
      int64_t finished = 0;
      for (size_t i = 0; i < sources.size(); ++i) {
        REQUIRE(found[i].size() == 3);
        for (const Hypothesis& hypothesis : found[i]) {
          if (!hypothesis.finished) continue;
          ++finished;
          const auto scores = score_pairs(small.model, {sources[i]}, {hypothesis.ids});
          CHECK(hypothesis.log_probability ==
                doctest::Approx(scores.front().log_probability).epsilon(1e-4));
        }
      }
      CHECK(finished > 3);
    }
  }
}

TEST_CASE("an explanation of a recurrent translator has one head of cross-attention") {
  const SmallRecurrent small = small_recurrent(CellKind::gru, ScoreKind::additive);
  TranslationOptions options;
  options.max_length = 5;
  const Explanation explanation = explain(small.model, sources[0], options);
  REQUIRE(explanation.cross.size() == 1);
  CHECK(explanation.cross[0].weights.rows == std::ssize(explanation.target_tokens));
  CHECK(explanation.cross[0].weights.columns == 5);
  CHECK(explanation.encoder_self.empty());
  CHECK(explanation.positions.values.empty());
}

TEST_CASE("a recurrent translator aligns with its attention, and is refused if it has none") {
  const SmallRecurrent small = small_recurrent(CellKind::lstm, ScoreKind::general);
  const auto places = attended_source_tokens(small.model, {{4, 5, 6}}, {{8, 9}});
  REQUIRE(places.front().size() == 2);
  for (const int32_t place : places.front()) CHECK((0 <= place && place < 3));
  const SmallRecurrent without = small_recurrent(CellKind::gru, ScoreKind::none);
  CHECK(message_of([&] { attended_source_tokens(without.model, {{4}}, {{8}}); }) ==
        "the model has no attention to align words with (model.attention_score: none)");
  CHECK(explain(without.model, sources[0], {}).cross.empty());
}

}  // namespace
}  // namespace calque
