// Scoring reads a pair at once and equals the sum over single tokens.
#include "decode/score.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

#include "data/tokenizers/vocabulary.h"
#include "decode/alignment.h"
#include "decode/plain_decoding.h"
#include "support/threads.h"

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

TEST_CASE("scores have the same bits on any number of threads") {
  const SmallModel model(small_options());
  const auto sources = random_sources(13, 9, 8, 3), targets = random_sources(13, 9, 8, 4);
  std::vector<SequenceScore> first;
  for (const int count : {1, 2, 3, 16}) {
    CAPTURE(count);
    const Threads scope(count);
    const auto scores = score_pairs(model.transformer, sources, targets, 12);
    if (first.empty()) first = scores;
    REQUIRE(scores.size() == 9);
    for (size_t i = 0; i < scores.size(); ++i) CHECK(scores[i].of_tokens == first[i].of_tokens);
  }
}

TEST_CASE("sources without </s> are read as they are, and an empty one as </s>") {
  TransformerOptions options = small_options();
  options.source_end = false;
  const SmallModel model(options), usual(small_options());
  auto sources = random_sources(options.source_vocabulary, 7, 6, 3);
  sources[1].clear();
  const auto targets = random_sources(options.target_vocabulary, 7, 6, 4);
  const auto scores = score_pairs(model.transformer, sources, targets);
  const auto others = score_pairs(usual.transformer, sources, targets);
  REQUIRE(scores.size() == 7);
  for (size_t i = 0; i < scores.size(); ++i) {
    CAPTURE(i);
    CHECK(
        scores[i].log_probability ==
        doctest::Approx(log_probability(model.transformer, sources[i], targets[i])).epsilon(1e-5));
    const bool same = std::abs(scores[i].log_probability - others[i].log_probability) < 1e-6;
    CHECK(same == sources[i].empty());
  }
  const auto places = attended_source_tokens(model.transformer, sources, targets);
  for (size_t i = 0; i < sources.size(); ++i) {
    CHECK(places[i].size() == (sources[i].empty() ? 0 : targets[i].size()));
    for (const int32_t place : places[i]) CHECK(place < std::ssize(sources[i]));
  }
}

TEST_CASE("every target token is aligned to a source token, unless the source is empty") {
  const SmallModel model(small_options());
  const auto places =
      attended_source_tokens(model.transformer, {{4, 5, 6}, {}, {7}}, {{8, 9}, {3, 3}, {5, 5, 5}});
  REQUIRE(places.size() == 3);
  CHECK(places[0].size() == 2);
  for (const int32_t place : places[0]) CHECK((place >= 0 && place < 3));
  CHECK(places[1].empty());
  CHECK(places[2] == std::vector<int32_t>{0, 0, 0});
}

// The source token with the most attention for each target token, in the penultimate decoder layer
// of a full pass over both sentences.
std::vector<int32_t> most_attended(const Transformer& model, const std::vector<int32_t>& source,
                                   const std::vector<int32_t>& target) {
  std::vector<int32_t> read = source, written = {begin_id};
  read.push_back(end_id);
  written.insert(written.end(), target.begin(), target.end());
  const auto keys = static_cast<int32_t>(read.size()),
             queries = static_cast<int32_t>(written.size());
  const Segments of_source = Segments::of_lengths(std::vector{keys});
  const Segments of_target = Segments::of_lengths(std::vector{queries});
  AttentionRecord record;
  const Tensor memory = model.encode(read, of_source, Mode::evaluate);
  model.decode(written, of_target, memory, of_source, Mode::evaluate, &record);
  const auto& layers = model.decoder.layers;
  const std::string& name = layers[layers.size() - 2].cross_attention.name;
  const Tensor weights = record.at(name).sentences.front();  // [heads, queries, keys]
  std::vector<int32_t> places;
  for (int32_t t = 0; t + 1 < queries; ++t) {
    int32_t best = 0;
    double most = -1;
    for (int32_t s = 0; s + 1 < keys; ++s) {
      double total = 0;
      for (int64_t head = 0; head < model.options.layer.heads; ++head) {
        total += double(weights.span()[(head * queries + t) * keys + s]);
      }
      if (total > most) best = s, most = total;
    }
    places.push_back(best);
  }
  return places;
}

TEST_CASE("a token is aligned to the source token with the largest recorded attention") {
  TransformerOptions options = small_options();
  options.decoder_layers = 3;
  const SmallModel model(options, 5);
  const auto sources = random_sources(13, 9, 8, 21), targets = random_sources(13, 9, 8, 22);
  const auto places = attended_source_tokens(model.transformer, sources, targets);
  std::set<int32_t> different;
  for (size_t i = 0; i < sources.size(); ++i) {
    CHECK(places[i] == most_attended(model.transformer, sources[i], targets[i]));
    different.insert(places[i].begin(), places[i].end());
  }
  CHECK(different.size() > 2);
}

}  // namespace
}  // namespace calque
