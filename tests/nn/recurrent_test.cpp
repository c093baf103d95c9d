// The recurrent translator: a hand-worked TimeOrder, PyTorch's values (recorded by
// tests/reference/recurrent.py), and independence of the batch.
#include <doctest/doctest.h>

#include <algorithm>

#include "nn/models/translator.h"
#include "nn/recorded.h"
#include "nn/small_model.h"

using namespace calque;

namespace {

constexpr int64_t vocabulary = 11;  // of the recorded values

SmallBatch small_batch() {
  TransformerOptions vocabularies;
  vocabularies.source_vocabulary = vocabularies.target_vocabulary = vocabulary;
  return random_batch(vocabularies, {{3, 2}, {1, 4}, {6, 1}, {4, 0}, {2, 4}});
}

using Numbers = std::vector<int32_t>;

}  // namespace

TEST_CASE("a TimeOrder lists tokens step by step, the longest sentence first") {
  const Segments segments = Segments::of_lengths(Numbers{2, 0, 3, 2});  // 0 1 | | 2 3 4 | 5 6
  const TimeOrder forward(segments);
  CHECK(forward.sentences == Numbers{2, 0, 3, 1});
  CHECK(forward.tokens == Numbers{2, 0, 5, 3, 1, 6, 4});
  CHECK(forward.starts == std::vector<int64_t>{0, 3, 6, 7});
  CHECK(forward.places == Numbers{1, 4, 0, 3, 6, 2, 5});
  const TimeOrder backward(segments, Direction::backward);
  CHECK(backward.tokens == Numbers{4, 1, 6, 3, 0, 5, 2});
  CHECK(backward.rows(1) == 3);
  CHECK(TimeOrder(Segments()).steps() == 0);
}

TEST_CASE("outputs, loss and gradients of the recurrent translator are PyTorch's") {
  struct Case {
    const char* file;
    CellKind cell;
    ScoreKind score;
    int64_t layers;
  };
  for (const Case& each : {Case{"gru-additive", CellKind::gru, ScoreKind::additive, 1},
                           Case{"gru-none", CellKind::gru, ScoreKind::none, 1},
                           Case{"lstm-dot", CellKind::lstm, ScoreKind::dot, 1},
                           Case{"lstm-general", CellKind::lstm, ScoreKind::general, 2}}) {
    CAPTURE(each.file);
    const Recorded recorded(fmt::format("recurrent/{}.safetensors", each.file));
    RecurrentOptions options = small_recurrent_options(vocabulary);
    options.cell = each.cell;
    options.score = each.score;
    options.encoder_layers = each.layers;
    const SmallRecurrent small(options);
    CHECK(recorded.names_after("initial.").size() == small.parameters.entries().size());
    for (const Parameters::Entry& entry : small.parameters.entries()) {
      const std::vector<real> values = recorded.numbers("initial." + entry.name);
      REQUIRE(values.size() == entry.values().size());
      std::ranges::copy(values, entry.values().begin());
    }
    const SmallBatch batch{
        .source = recorded.integers("source"),
        .decoder_input = recorded.integers("input"),
        .expected = recorded.integers("expected"),
        .source_segments = Segments::of_lengths(recorded.integers("source_lengths")),
        .target_segments = Segments::of_lengths(recorded.integers("target_lengths"))};
    const Tensor memory = small.model.encode(batch.source, batch.source_segments, Mode::evaluate);
    CHECK(relative_difference(memory.span(), recorded.numbers("memory")) < 1e-5);
    const Tensor logits = small.model.output(hidden_of(small.model, batch));
    CHECK(relative_difference(logits.span(), recorded.numbers("logits")) < 1e-5);

    const Tape tape;
    const TokenLoss loss = loss_of(small.model, batch, real(0.1), Mode::train);
    CHECK(loss.loss.item() == doctest::Approx(recorded.numbers("loss").front()).epsilon(1e-5));
    backward(loss.loss);
    for (const Parameters::Entry& entry : small.parameters.entries()) {
      CAPTURE(entry.name);
      CHECK(relative_difference(entry.tensor.gradient().span(),
                                recorded.numbers("gradient." + entry.name)) < 1e-5);
    }
  }
}

TEST_CASE("a sentence has the same hidden vectors alone and among others") {
  for (const auto& score : score_kinds) {
    CAPTURE(score.name);
    RecurrentOptions options = small_recurrent_options(vocabulary);
    options.score = score.choice;
    const SmallRecurrent small(options);
    const SmallBatch batch = small_batch();
    const Tensor together = hidden_of(small.model, batch);
    for (int64_t i = 0; i < batch.target_segments.count(); ++i) {
      const Tensor alone = hidden_of(small.model, chosen_sentences(batch, {i}));
      const auto same = together.span().subspan(batch.target_segments.begin(i) * options.d_model,
                                                alone.span().size());
      CHECK(relative_difference(same, alone.span()) < 1e-5);
    }
  }
}

TEST_CASE("attention weights are recorded for each token, and sum to one") {
  const SmallRecurrent small(small_recurrent_options(vocabulary));
  const SmallBatch batch = small_batch();
  AttentionRecord record;
  const Tensor memory = small.model.encode(batch.source, batch.source_segments, Mode::evaluate);
  small.model.decode(batch.decoder_input, batch.target_segments, memory, batch.source_segments,
                     Mode::evaluate, &record);
  REQUIRE(record.entries.size() == 1);
  const std::vector<Tensor>& sentences = record.at("decoder").sentences;
  REQUIRE(sentences.size() == 5);
  for (int64_t i = 0; i < 5; ++i) {
    CHECK(sentences[i].shape() ==
          Shape{1, batch.target_segments.length(i), batch.source_segments.length(i)});
    const Tensor totals = sum_in_rows(sentences[i]);
    for (const real total : totals.span()) CHECK(total == doctest::Approx(1));
  }
}

TEST_CASE(
    "a recurrent translator refuses an empty source, and vocabularies that cannot share a table") {
  const SmallRecurrent small(small_recurrent_options(vocabulary));
  const Segments sources = Segments::of_lengths(Numbers{0}),
                 targets = Segments::of_lengths(Numbers{1});
  const Tensor memory = small.model.encode({}, sources, Mode::evaluate);
  CHECK_THROWS_WITH(small.model.decode(Numbers{1}, targets, memory, sources, Mode::evaluate),
                    doctest::Contains("source 0 is empty"));
  RecurrentOptions options = small_recurrent_options(vocabulary);
  options.target_vocabulary = 12;
  CHECK_THROWS_WITH(SmallRecurrent{options}, doctest::Contains("cannot share"));
}

TEST_CASE("ids of a recurrent translator that contradict their segments are a Misuse") {
  const SmallRecurrent small(small_recurrent_options(vocabulary));
  const Segments one = Segments::of_lengths(Numbers{1});
  const Tensor memory = small.model.encode(Numbers{1}, one, Mode::evaluate);
  CHECK_THROWS_WITH_AS(small.model.encode(Numbers{1, 2}, one, Mode::evaluate),
                       doctest::Contains("2 source ids"), Misuse);
  CHECK_THROWS_WITH_AS(small.model.decode(Numbers{1, 2}, one, memory, one, Mode::evaluate),
                       doctest::Contains("2 target ids"), Misuse);
}
