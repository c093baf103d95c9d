// Cached decoding with a language model equals the full pass over prompt and text, whatever the
// other prompts of the batch.
#include "decode/models/language_decoding.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "decode/plain_decoding.h"
#include "decode/search/batches.h"
#include "decode/search/sampling.h"
#include "decode/wandering.h"
#include "nn/small_language_model.h"
#include "support/threads.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

// Prompts of mixed lengths; all but the last begin with <s>.
std::vector<Ids> some_prompts() {
  return {{1, 5, 4}, {1}, {1, 3, 3, 7, 10, 2, 4}, {1, 9}, {6, 8, 8, 3}};
}

std::vector<LanguageModelVariant> all_variants() {
  std::vector<LanguageModelVariant> list = language_model_variants();
  LanguageModelOptions options = small_language_model_options();
  for (const auto& kind : position_kinds) {
    for (const auto& placement : norm_placements) {
      options.layer.positions = kind.choice;
      options.layer.norm_placement = placement.choice;
      list.push_back({std::string(kind.name) + " " + std::string(placement.name), options});
    }
  }
  return list;
}

// A model with a sharpened output, so that no two tokens are nearly equally probable.
SmallLanguageModel decided_language_model(LanguageModelOptions options, uint64_t seed = 3) {
  options.tied = false;
  SmallLanguageModel small(options, seed);
  for (real& weight : small.model.output.weight.span()) weight *= 4;
  return small;
}

Ids joined(const Ids& prompt, const Ids& written) {
  Ids read = prompt;
  read.insert(read.end(), written.begin(), written.end());
  return read;
}

TEST_CASE(
    "the cached language model equals the full pass, for prompts of mixed lengths in one batch") {
  const std::vector<Ids> prompts = some_prompts();
  Ids first;
  for (const Ids& prompt : prompts) first.push_back(prompt.back());
  for (const LanguageModelVariant& variant : all_variants()) {
    CAPTURE(variant.name);
    const SmallLanguageModel small(variant.options);
    const auto decoder = language_decoding_model(small.model, prompts).start(all_items(prompts));
    Wandering wandering(first, [&](int32_t item, const Ids& written) {
      return next_log_probabilities(small.model, joined(prompts[item], written));
    });
    for (int step = 0; step < 9; ++step) {
      CAPTURE(step);
      CHECK(wandering.difference(*decoder) <= 1e-5);
      wandering.wander();
    }
  }
}

TEST_CASE("greedy decoding writes the most probable tokens of the full pass") {
  const std::vector<Ids> prompts = some_prompts();
  const SmallLanguageModel small = decided_language_model(small_language_model_options());
  const DecodingModel models[] = {language_decoding_model(small.model, prompts)};
  const auto items = language_items(prompts, 8);
  SamplingOptions cold{.sampling = {.temperature = 0}, .close_at_longest = false};
  const auto drawn = sample(models, items, cold);
  const auto found = search(models, items, {});
  for (size_t i = 0; i < prompts.size(); ++i) {
    Ids written;
    bool ended = false;
    while (!ended && written.size() < 8) {
      auto logs = next_log_probabilities(small.model, joined(prompts[i], written));
      logs[begin_id] = logs[unknown_id] = -1e30;
      written.push_back(static_cast<int32_t>(std::ranges::max_element(logs) - logs.begin()));
      ended = written.back() == end_id;
    }
    if (ended) written.pop_back();
    CHECK(drawn[i][0].ids == written);
    CHECK(drawn[i][0].finished == ended);
    CHECK(found[i][0].ids == written);
    CHECK(found[i][0].finished);
  }
}

TEST_CASE("the same seed draws the same texts with 1, 2 and 4 threads, to the bit") {
  std::vector<Ids> prompts;
  for (int repeat = 0; repeat < 6; ++repeat) {
    for (const Ids& prompt : some_prompts()) prompts.push_back(prompt);
  }
  const SmallLanguageModel small(small_language_model_options());
  const DecodingModel models[] = {language_decoding_model(small.model, prompts)};
  const auto items = language_items(prompts, 9);
  const SamplingOptions options{.sampling = {.top_p = 0.95, .seed = 11},
                                .samples = 2,
                                .close_at_longest = false,
                                .batch_tokens = 100};
  CHECK(batches_of(items, 2, 100).size() >= 4);
  const Threads as_before;
  std::vector<std::vector<std::vector<Hypothesis>>> drawn;
  for (const int threads : {1, 2, 4}) {
    set_threads(threads);
    drawn.push_back(sample(models, items, options));
  }
  for (size_t i = 0; i < prompts.size(); ++i) {
    for (size_t n = 0; n < 2; ++n) {
      for (const auto& other : drawn) {
        CHECK(other[i][n].ids == drawn[0][i][n].ids);
        CHECK(other[i][n].log_probability == drawn[0][i][n].log_probability);
      }
    }
  }
  CHECK(drawn[0][0][0].ids != drawn[0][0][1].ids);
  CHECK(drawn[0][0][0].ids != drawn[0][5][0].ids);  // the same prompt with another number
}

TEST_CASE("a text does not depend on the other prompts of its batch") {
  const std::vector<Ids> prompts = some_prompts();
  const SmallLanguageModel small(small_language_model_options());
  const DecodingModel together[] = {language_decoding_model(small.model, prompts)};
  const SamplingOptions options{.sampling = {.seed = 5}, .samples = 3, .close_at_longest = false};
  const auto drawn = sample(together, language_items(prompts, 9), options);
  for (size_t i = 0; i < prompts.size(); ++i) {
    const std::vector<Ids> own = {prompts[i]};
    const DecodingModel alone[] = {language_decoding_model(small.model, own)};
    auto items = language_items(own, 9);
    items[0].number = static_cast<int64_t>(i);
    const auto again = sample(alone, items, options);
    for (size_t n = 0; n < 3; ++n) CHECK(again[0][n].ids == drawn[i][n].ids);
  }
}

TEST_CASE("learned positions limit prompt and text together") {
  const std::vector<Ids> prompts = {Ids(3, 4), Ids(15, 4), Ids(16, 4)};
  SmallLanguageModel small(small_language_model_options());  // 16 positions
  for (const bool close : {false, true}) {
    SamplingOptions options{.sampling = {.seed = 2}, .close_at_longest = close};
    auto items = language_items(prompts, 100);
    for (DecodingItem& item : items) item.shortest = 100;  // never </s> before the longest
    const DecodingModel models[] = {language_decoding_model(small.model, prompts)};
    const auto drawn = sample(models, items, options);
    const size_t unread = close ? 0 : 1;  // the last token of a text that is cut off is not read
    CHECK(drawn[0][0].ids.size() == 13 + unread);
    CHECK(drawn[1][0].ids.size() == 1 + unread);
    CHECK(drawn[2][0].ids.size() == 0 + unread);
  }
  const std::vector<Ids> longer = {Ids(18, 4)};
  const DecodingModel models[] = {language_decoding_model(small.model, longer)};
  CHECK_THROWS_AS(sample(models, language_items(longer, 5), {}), Error);
}

TEST_CASE("rotary positions do not limit the text") {
  LanguageModelOptions options = small_language_model_options();
  options.layer.positions = PositionKind::rotary;
  const SmallLanguageModel small(options);
  const std::vector<Ids> prompts = {{1}, Ids(20, 4)};
  auto items = language_items(prompts, 40);
  for (DecodingItem& item : items) item.shortest = 40;
  const DecodingModel models[] = {language_decoding_model(small.model, prompts)};
  for (const auto& drawn : sample(models, items, {})) CHECK(drawn[0].ids.size() == 40);
}

TEST_CASE("a beam over a language model finds texts at least as probable as greedy ones") {
  const std::vector<Ids> prompts = some_prompts();
  const SmallLanguageModel small(small_language_model_options());
  const DecodingModel models[] = {language_decoding_model(small.model, prompts)};
  const auto items = language_items(prompts, 3);
  SearchOptions wide;
  wide.beam = 200;
  wide.penalty = SearchOptions::Penalty::none;
  const auto greedy = search(models, items, {}), best = search(models, items, wide);
  bool better = false;
  for (size_t i = 0; i < prompts.size(); ++i) {
    CHECK(best[i][0].log_probability >= greedy[i][0].log_probability - 1e-5);
    better = better || best[i][0].log_probability > greedy[i][0].log_probability + 1e-3;
  }
  CHECK(better);
}

TEST_CASE("an empty prompt is refused") {
  const SmallLanguageModel small(small_language_model_options());
  CHECK_THROWS_AS(language_items({{1}, {}}, 3), Misuse);
  const std::vector<Ids> prompts(1);
  CHECK_THROWS_AS(language_decoding_model(small.model, prompts).start(all_items(prompts)), Misuse);
}

}  // namespace
}  // namespace calque
