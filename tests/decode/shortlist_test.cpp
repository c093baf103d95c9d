// Shortlists: what they have, and that a search among their tokens is that search among all.
#include "decode/shortlist.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "core/int8_weights.h"
#include "data/tokenizers/vocabulary.h"
#include "decode/markov_model.h"
#include "decode/plain_decoding.h"
#include "decode/search/search.h"
#include "decode/translation.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

Ids counted(int32_t count) {
  Ids ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

std::shared_ptr<const Shortlist> shared(Ids always, std::vector<Ids> of_tokens = {}) {
  return std::make_shared<const Shortlist>(std::move(always), std::move(of_tokens));
}

std::vector<std::vector<Hypothesis>> translated(Translator model, const std::vector<Ids>& sources,
                                                std::shared_ptr<const Shortlist> shortlist,
                                                int64_t batch_tokens = 4096) {
  TranslationOptions options;
  options.beam = 3;
  options.n_best = 3;
  options.max_length = 6;
  options.batch_tokens = batch_tokens;
  options.shortlist = std::move(shortlist);
  const Translator models[] = {model};
  return translate(models, sources, options);
}

TEST_CASE("a shortlist has the special tokens and those of the source, sorted, each once") {
  const Shortlist list({9, 4}, {{}, {}, {}, {7, 4}, {12}});
  CHECK(list.of({}) == Ids{0, 1, 2, 4, 9});
  CHECK(list.of(Ids{3, 4, 3}) == Ids{0, 1, 2, 4, 7, 9, 12});
  CHECK(list.of(Ids{-1, 99}) == Ids{0, 1, 2, 4, 9});
}

TEST_CASE("a shortlist learns which tokens translate a source token") {
  // Source token s is translated by s + 10; 30 is in every target.
  std::vector<Ids> sources, targets;
  for (int32_t i = 0; i < 60; ++i) {
    sources.push_back({3 + i % 5, 3 + (i + 1 + i / 5 % 3) % 5});
    targets.push_back({30, sources.back()[1] + 10, sources.back()[0] + 10});
  }
  std::vector<AlignedIds> pairs;
  for (size_t i = 0; i < sources.size(); ++i) pairs.push_back({sources[i], targets[i]});
  const Shortlist list = Shortlist::learn(pairs, 10, {.per_token = 1, .frequent = 1});
  CHECK(list.always() == Ids{0, 1, 2, 30});
  REQUIRE(list.of_tokens().size() == 10);
  for (int32_t s = 3; s < 8; ++s) CHECK(list.of_tokens()[s] == Ids{s + 10});
  CHECK(list.of_tokens()[9].empty());
  CHECK(Shortlist::learn(pairs, 10, {.per_token = 5, .frequent = 0}).of_tokens()[3].size() > 1);
}

TEST_CASE("a search among all tokens of a list is the search without a list") {
  for (const auto& variant : variants()) {
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    const auto sources = random_sources(variant.options.source_vocabulary, 5, 7, 5);
    const auto vocabulary = static_cast<int32_t>(variant.options.target_vocabulary);
    const auto plain = translated(model.transformer, sources, nullptr);
    const auto listed = translated(model.transformer, sources, shared(counted(vocabulary)));
    for (size_t i = 0; i < plain.size(); ++i) {
      for (size_t k = 0; k < plain[i].size(); ++k) {
        CHECK(plain[i][k].ids == listed[i][k].ids);
        CHECK(plain[i][k].score == doctest::Approx(listed[i][k].score).epsilon(1e-4));
      }
    }
  }
}

TEST_CASE("a search writes tokens of the list alone, whatever else is in the batch") {
  TransformerOptions options = small_options();
  options.output_bias = true;
  for (const bool int8 : {false, true}) {
    CAPTURE(int8);
    const SmallModel model(options);
    if (int8) round_weights_to_int8(model.parameters);
    const auto sources = random_sources(options.source_vocabulary, 6, 7, 5);
    std::vector<Ids> of_tokens;
    for (int32_t s = 0; s < options.source_vocabulary; ++s) {
      of_tokens.push_back({s % static_cast<int32_t>(options.target_vocabulary)});
    }
    const auto list = shared({3}, of_tokens);
    const auto together = translated(model.transformer, sources, list);
    for (size_t i = 0; i < sources.size(); ++i) {
      const auto alone = translated(model.transformer, {sources[i]}, list).front();
      const Ids allowed = list->of(sources[i]);
      REQUIRE(alone.size() == together[i].size());
      for (size_t k = 0; k < alone.size(); ++k) {
        CHECK(alone[k].ids == together[i][k].ids);
        CHECK(alone[k].score == doctest::Approx(together[i][k].score).epsilon(1e-5));
        for (const int32_t id : alone[k].ids) CHECK(std::ranges::binary_search(allowed, id));
      }
    }
  }
}

TEST_CASE("items choose from some tokens of a decoder that scores all") {
  const MarkovModel model(8);
  model.prefer(begin_id, 5);
  model.row(begin_id)[6] = 4;
  model.prefer(6, 7);
  model.prefer(7, end_id);
  model.prefer(5, end_id);
  const DecodingModel models[] = {model.decoding()};
  const std::vector<DecodingItem> items = {{.longest = 4},
                                           {.longest = 4, .outputs = {0, 1, 2, 6, 7}},
                                           {.longest = 4, .outputs = {0, 1, 2, 3}}};
  SearchOptions greedy;
  greedy.beam = greedy.n_best = 1;
  const auto found = search(models, items, greedy);
  CHECK(found[0].front().ids == Ids{5});
  CHECK(found[1].front().ids == Ids{6, 7});
  for (const int32_t id : found[2].front().ids) CHECK(id == 3);
  CHECK_THROWS_AS(
      search(models, std::vector<DecodingItem>{{.prefix = {3}, .outputs = {0, 1, 2}}}, greedy),
      Misuse);
}

}  // namespace
}  // namespace calque
