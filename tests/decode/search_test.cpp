// Compares search with decoding without a cache and with exhaustive search.
#include "decode/search/search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "data/tokenizers/vocabulary.h"
#include "decode/plain_decoding.h"
#include "decode/search/batches.h"
#include "decode/translation.h"
#include "support/threads.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

std::vector<std::vector<Hypothesis>> search_with(const SmallModel& model,
                                                 const std::vector<Ids>& sources,
                                                 const TranslationOptions& options) {
  const Translator models[] = {model.transformer};
  return translate(models, sources, options);
}

std::vector<std::vector<size_t>> batches_for(const std::vector<Ids>& sources,
                                             const TranslationOptions& options) {
  return batches_of(translation_items(sources, options), options.beam, options.batch_tokens);
}

TranslationOptions up_to(int64_t beam, int64_t longest) {
  TranslationOptions options;
  options.beam = beam;
  options.max_length = longest;
  return options;
}

// Every sentence of at most `longest` tokens.
std::vector<Ids> all_sentences(int64_t vocabulary, int64_t longest) {
  std::vector<Ids> all = {{}};
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::ssize(all[i]) == longest) break;
    for (int32_t id = 0; id < vocabulary; ++id) {
      if (id < special_ids) continue;
      Ids longer = all[i];
      longer.push_back(id);
      all.push_back(std::move(longer));
    }
  }
  return all;
}

TEST_CASE("beam 1 is greedy decoding") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    const auto sources = random_sources(variant.options.source_vocabulary, 5, 8, 11);
    const auto found = search_with(model, sources, up_to(1, 9));
    for (size_t i = 0; i < sources.size(); ++i) {
      const Hypothesis& best = found[i].front();
      CHECK(best.ids == plain_greedy(model.transformer, sources[i], 9));
      CHECK(
          best.log_probability ==
          doctest::Approx(log_probability(model.transformer, sources[i], best.ids)).epsilon(1e-5));
    }
  }
}

TEST_CASE("a beam as wide as the whole space finds the best of all sentences, in order") {
  TransformerOptions options = small_options();
  options.target_vocabulary = 6;
  const SmallModel model = decided_model(options, 3);
  const std::vector<Ids> everything = all_sentences(6, 3);  // 1 + 3 + 9 + 27
  for (const double penalty : {0.0, 0.6, 1.0, 2.0}) {
    TranslationOptions wide = up_to(100, 3);
    wide.n_best = 5;
    wide.length_penalty = penalty;
    for (const Ids& source : random_sources(13, 3, 5, 17)) {
      std::vector<std::pair<double, Ids>> scored;
      for (const Ids& ids : everything) {
        const double logs = log_probability(model.transformer, source, ids);
        scored.push_back({logs / std::pow(double(ids.size()) + 1, penalty), ids});
      }
      std::ranges::sort(scored, std::greater<>());
      const auto found = search_with(model, {source}, wide).front();
      REQUIRE(found.size() == 5);
      for (size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].ids == scored[i].second);
        CHECK(found[i].score == doctest::Approx(scored[i].first).epsilon(1e-5));
        CHECK(found[i].finished);
      }
    }
  }
}

TEST_CASE("every stopping rule finds the same best sentence with a beam of the whole space") {
  TransformerOptions options = small_options();
  options.target_vocabulary = 6;
  const SmallModel model = decided_model(options, 4);
  const auto sources = random_sources(13, 4, 5, 19);
  TranslationOptions wide = up_to(100, 3);
  const auto optimal = search_with(model, sources, wide);
  for (const auto& rule : stop_rules) {
    CAPTURE(std::string(rule.name));
    wide.stop = rule.choice;
    const auto found = search_with(model, sources, wide);
    for (size_t i = 0; i < sources.size(); ++i) CHECK(found[i][0].ids == optimal[i][0].ids);
  }
}

// `first` ends the search once as many hypotheses have finished as the beam is wide.
TEST_CASE("the rule `first` ends early and finds nothing better than `never`") {
  const SmallModel model = SmallModel(small_options(), 4);
  const auto sources = random_sources(13, 40, 9, 19);
  TranslationOptions options = up_to(3, 20);
  options.n_best = 3;
  options.stop = SearchOptions::Stop::never;
  const auto never = search_with(model, sources, options);
  options.stop = SearchOptions::Stop::first;
  const auto first = search_with(model, sources, options);
  bool earlier = false;
  for (size_t i = 0; i < sources.size(); ++i) {
    CHECK(first[i].size() == 3);
    // Products with other numbers of rows may round differently.
    CHECK(first[i][0].score <= doctest::Approx(never[i][0].score).epsilon(1e-5));
    earlier = earlier || first[i][2].ids != never[i][2].ids;
  }
  CHECK(earlier);  // somewhere the two rules differ
}

TEST_CASE("every hypothesis of the n best has the full pass's log-probability") {
  const SmallModel model = decided_model(small_options(), 5);
  const auto sources = random_sources(13, 6, 9, 23);
  TranslationOptions options = up_to(4, 8);
  options.n_best = 4;
  const auto found = search_with(model, sources, options);
  for (size_t i = 0; i < sources.size(); ++i) {
    REQUIRE(found[i].size() == 4);
    CHECK(std::ranges::is_sorted(found[i], std::greater<>(), &Hypothesis::score));
    for (const Hypothesis& hypothesis : found[i]) {
      CHECK(hypothesis.log_probability ==
            doctest::Approx(log_probability(model.transformer, sources[i], hypothesis.ids))
                .epsilon(1e-5));
    }
  }
}

TEST_CASE("a translation does not depend on its batch") {
  const SmallModel model = decided_model(small_options(), 6);
  const auto sources = random_sources(13, 20, 12, 29);
  for (const int64_t beam : {1, 4}) {
    TranslationOptions options = up_to(beam, 0);
    options.n_best = beam;
    const auto together = search_with(model, sources, options);
    options.batch_tokens = 1;
    const auto alone = search_with(model, sources, options);
    for (size_t i = 0; i < sources.size(); ++i) {
      REQUIRE(alone[i].size() == together[i].size());
      for (size_t n = 0; n < alone[i].size(); ++n) {
        CHECK(alone[i][n].ids == together[i][n].ids);
        CHECK(alone[i][n].score == doctest::Approx(together[i][n].score).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("lengths stay between the minimum and the maximum") {
  const SmallModel model = decided_model(small_options(), 7);
  const auto sources = random_sources(13, 12, 9, 31);
  for (const int64_t beam : {1, 3}) {
    TranslationOptions options = up_to(beam, 6);
    options.min_length = 4;
    for (const auto& found : search_with(model, sources, options)) {
      CHECK(found.front().ids.size() >= 4);
      CHECK(found.front().ids.size() <= 6);
      CHECK(found.front().finished);
    }
  }
}

TEST_CASE("limits relative to the source hold, and an absolute limit works without them") {
  const SmallModel model = decided_model(small_options(), 7);
  const auto sources = random_sources(13, 12, 9, 31);
  for (const int64_t beam : {1, 3}) {
    TranslationOptions options;
    options.beam = beam;
    options.min_length_ratio = 0.9;
    options.max_length_ratio = 1.5;
    options.max_length_extra = 1;
    const auto relative = search_with(model, sources, options);
    options.min_length_ratio = options.max_length_ratio = 0;
    options.max_length_extra = 0;
    options.max_length = 7;
    options.min_length = 7;
    const auto absolute = search_with(model, sources, options);
    for (size_t i = 0; i < sources.size(); ++i) {
      const auto length = static_cast<double>(relative[i][0].ids.size());
      CHECK(length >= 0.9 * static_cast<double>(sources[i].size()));
      CHECK(length <= std::ceil(1.5 * static_cast<double>(sources[i].size())) + 1);
      CHECK(absolute[i][0].ids.size() == 7);
    }
  }
}

TEST_CASE("a translation begins with a forced prefix, and the search goes on from it") {
  const SmallModel model = decided_model(small_options(), 15);
  const auto sources = random_sources(13, 5, 9, 59);
  const std::vector<Ids> prefixes = {{}, {7}, {4, 4, 9}, {11, 3, 5, 6, 8}, {12, 12, 12, 12}};
  TranslationOptions options = up_to(1, 4);  // shorter than the longest prefix
  options.no_repeat_ngram = 2;
  options.prefixes = &prefixes;
  for (const int64_t beam : {1, 3}) {
    options.beam = options.n_best = beam;
    const auto found = search_with(model, sources, options);
    for (size_t i = 0; i < sources.size(); ++i) {
      for (const Hypothesis& hypothesis : found[i]) {
        REQUIRE(hypothesis.ids.size() >= prefixes[i].size());
        CHECK(std::equal(prefixes[i].begin(), prefixes[i].end(), hypothesis.ids.begin()));
        CHECK(hypothesis.log_probability ==
              doctest::Approx(log_probability(model.transformer, sources[i], hypothesis.ids))
                  .epsilon(1e-5));
      }
    }
    CHECK(found[3][0].ids == prefixes[3]);
  }
}

TEST_CASE("forcing the first half of a greedy translation as a prefix changes nothing") {
  const SmallModel model = decided_model(small_options(), 16);
  const auto sources = random_sources(13, 8, 9, 61);
  const auto free = search_with(model, sources, up_to(1, 9));
  std::vector<Ids> halves;
  for (const auto& found : free) {
    const Ids& ids = found[0].ids;
    halves.emplace_back(ids.begin(), ids.begin() + std::ssize(ids) / 2);
  }
  TranslationOptions options = up_to(1, 9);
  options.prefixes = &halves;
  const auto forced = search_with(model, sources, options);
  for (size_t i = 0; i < sources.size(); ++i) CHECK(forced[i][0].ids == free[i][0].ids);
}

TEST_CASE("samples begin with the prefix too") {
  const SmallModel model(small_options());
  const std::vector<Ids> prefixes(3, {9, 4});
  TranslationOptions options = up_to(1, 8);
  options.n_best = 4;
  options.sampling = Sampling{.seed = 8};
  options.prefixes = &prefixes;
  for (const auto& drawn : search_with(model, random_sources(13, 3, 9, 67), options)) {
    REQUIRE(drawn.size() == 4);
    for (const Hypothesis& one : drawn) {
      REQUIRE(one.ids.size() >= 2);
      CHECK(one.ids[0] == 9);
      CHECK(one.ids[1] == 4);
    }
  }
  CHECK_THROWS_AS(search_with(model, random_sources(13, 2, 9, 67), options), Misuse);
}

TEST_CASE("batches have each source once, and bounded work") {
  const auto sources = random_sources(13, 500, 30, 72);
  TranslationOptions options = up_to(3, 0);
  for (const int64_t tokens : {1, 500, 1700, 6000, 1'000'000}) {
    options.batch_tokens = tokens;
    const auto batches = batches_for(sources, options);
    CHECK((batches.size() <= 2 || batches.size() % 4 == 0 || tokens == 1));
    std::vector<int> seen(sources.size());
    int64_t most = 0;
    for (const std::vector<size_t>& batch : batches) {
      int64_t work = 0;
      for (const size_t number : batch) {
        ++seen[number];
        work += 3 * (std::ssize(sources[number]) + 1);
      }
      most = std::max(most, work);
    }
    CHECK(std::ranges::count(seen, 1) == std::ssize(sources));
    CHECK(most < tokens + int64_t{3} * 32);
  }
  CHECK(batches_for({}, options).empty());
}

TEST_CASE("the result does not depend on the number of threads") {
  const SmallModel model = decided_model(small_options(), 17);
  const auto sources = random_sources(13, 30, 12, 71);
  TranslationOptions options = up_to(3, 12);
  options.batch_tokens = 40;  // several batches
  CHECK(batches_for(sources, options).size() > 4);
  const Threads as_before;
  set_threads(1);
  const auto alone = search_with(model, sources, options);
  set_threads(4);
  const auto shared = search_with(model, sources, options);
  for (size_t i = 0; i < sources.size(); ++i) {
    CHECK(shared[i][0].ids == alone[i][0].ids);
    CHECK(shared[i][0].log_probability == alone[i][0].log_probability);
  }
}

TEST_CASE("the reported progress rises to the number of sources") {
  const SmallModel model(small_options());
  const auto sources = random_sources(13, 12, 9, 73);
  TranslationOptions options = up_to(2, 5);
  options.batch_tokens = 20;
  std::vector<int64_t> counts;
  const Translator models[] = {model.transformer};
  translate(models, sources, options, [&](int64_t count) { counts.push_back(count); });
  CHECK(std::ranges::is_sorted(counts));
  CHECK(counts.size() == batches_for(sources, options).size());
  CHECK(counts.back() == 12);
}

TEST_CASE("<unk> is written only if it is allowed, however probable it is") {
  SmallModel model = decided_model(small_options(), 18);
  for (int64_t i = 0; i < model.transformer.output.bias.size(); ++i) {
    model.transformer.output.bias.data()[i] += i == unknown_id ? 30 : 0;
  }
  const auto sources = random_sources(13, 4, 6, 83);
  TranslationOptions greedy = up_to(1, 5), drawing = up_to(1, 5);
  drawing.sampling = Sampling{.seed = 3};
  for (TranslationOptions options : {greedy, up_to(3, 5), drawing}) {
    for (const bool allowed : {false, true}) {
      options.allow_unknown = allowed;
      for (const auto& found : search_with(model, sources, options)) {
        CHECK((std::ranges::count(found.front().ids, unknown_id) > 0) == allowed);
      }
    }
  }
}

TEST_CASE("no pair of tokens occurs twice if that is forbidden") {
  const SmallModel model = decided_model(small_options(), 8);
  TranslationOptions options = up_to(3, 20);
  options.min_length = 12;
  options.no_repeat_ngram = 2;
  for (const auto& found : search_with(model, random_sources(13, 6, 9, 37), options)) {
    const Ids& ids = found.front().ids;
    std::vector<std::pair<int32_t, int32_t>> pairs;
    for (size_t i = 1; i < ids.size(); ++i) pairs.push_back({ids[i - 1], ids[i]});
    std::ranges::sort(pairs);
    CHECK(std::ranges::adjacent_find(pairs) == pairs.end());
  }
}

TEST_CASE("an ensemble of a model with itself equals the model, and two models are averaged") {
  const SmallModel first = decided_model(small_options(), 9);
  const SmallModel second = decided_model(small_options(), 10);
  const auto sources = random_sources(13, 5, 9, 41);
  const TranslationOptions options = up_to(3, 8);
  const auto alone = search_with(first, sources, options);
  const Translator twins[] = {first.transformer, first.transformer};
  const auto twice = translate(twins, sources, options);
  const Translator both[] = {first.transformer, second.transformer};
  const auto voted = translate(both, sources, options);
  for (size_t i = 0; i < sources.size(); ++i) {
    CHECK(alone[i][0].ids == twice[i][0].ids);
    double logs = 0;
    Ids written = voted[i][0].ids;
    written.push_back(end_id);
    for (size_t t = 0; t < written.size(); ++t) {
      const Ids before(written.begin(), written.begin() + static_cast<int64_t>(t));
      const auto p = next_log_probabilities(first.transformer, sources[i], before);
      const auto q = next_log_probabilities(second.transformer, sources[i], before);
      logs += std::log((std::exp(p[written[t]]) + std::exp(q[written[t]])) / 2);
    }
    CHECK(voted[i][0].log_probability == doctest::Approx(logs).epsilon(1e-5));
  }
}

TEST_CASE("samples depend on the seed and the sentence's number, not on the batch") {
  const SmallModel model(small_options());
  const auto sources = random_sources(13, 6, 9, 47);
  TranslationOptions options = up_to(1, 8);
  options.n_best = 3;
  options.sampling = Sampling{.seed = 5};
  const auto drawn = search_with(model, sources, options);
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::vector<int64_t> number = {static_cast<int64_t>(i)};
    options.numbers = &number;
    const auto alone = search_with(model, {sources[i]}, options).front();
    REQUIRE(drawn[i].size() == 3);
    for (size_t n = 0; n < 3; ++n) CHECK(alone[n].ids == drawn[i][n].ids);
    CHECK(drawn[i][0].log_probability ==
          doctest::Approx(log_probability(model.transformer, sources[i], drawn[i][0].ids))
              .epsilon(1e-5));
  }
  options.numbers = nullptr;
  options.sampling->seed = 6;
  const auto others = search_with(model, sources, options);
  CHECK_FALSE(std::ranges::equal(
      others, drawn, {}, [](const auto& n) { return n[0].ids; },
      [](const auto& n) { return n[0].ids; }));
}

TEST_CASE("sampling with temperature 0, top_k 1 or a tiny top_p is greedy") {
  const SmallModel model = decided_model(small_options(), 14);
  const auto sources = random_sources(13, 6, 9, 53);
  TranslationOptions options = up_to(1, 8);
  const auto greedy = search_with(model, sources, options);
  for (const Sampling& cold :
       {Sampling{.temperature = 0}, Sampling{.top_k = 1}, Sampling{.top_p = 1e-9}}) {
    options.sampling = cold;
    const auto drawn = search_with(model, sources, options);
    for (size_t i = 0; i < sources.size(); ++i) CHECK(drawn[i][0].ids == greedy[i][0].ids);
  }
}

TEST_CASE("learned positions limit a translation") {
  TransformerOptions options = small_options();
  options.layer.positions = PositionKind::learned;
  options.layer.max_positions = 6;
  const SmallModel model = decided_model(options, 12);
  TranslationOptions long_ones;
  long_ones.min_length = 5;
  for (const auto& found : search_with(model, random_sources(13, 4, 5, 43), long_ones)) {
    CHECK(found.front().ids.size() == 5);
  }
}

TEST_CASE("an empty source is read as </s>, and no sources give no results") {
  const SmallModel model = decided_model(small_options(), 13);
  CHECK(search_with(model, {}, up_to(2, 4)).empty());
  const auto found = search_with(model, {{}, {5}}, up_to(1, 4));
  REQUIRE(found.size() == 2);
  CHECK(found[0].front().ids == plain_greedy(model.transformer, {}, 4));
}

TEST_CASE("a prefix outside the vocabulary is refused") {
  const SmallModel model(small_options());
  for (const int32_t id : {-1, 13}) {
    const std::vector<Ids> prefixes{{4, id}};
    TranslationOptions options = up_to(2, 5);
    options.prefixes = &prefixes;
    CHECK_THROWS_AS(search_with(model, {{5}}, options), Misuse);
  }
}

TEST_CASE("scores that are not finite are an error, not a translation") {
  const SmallModel model(small_options());
  for (const Parameters::Entry& entry : model.parameters.entries()) {
    for (real& value : entry.values()) value = real(1e30);
  }
  CHECK_THROWS_AS(search_with(model, {{5}, {6, 7}}, up_to(2, 5)), Error);
  TranslationOptions drawing = up_to(1, 5);
  drawing.sampling.emplace();
  CHECK_THROWS_AS(search_with(model, {{5}}, drawing), Error);
}

TEST_CASE("models with vocabularies of different sizes are refused, and so is an empty list") {
  TransformerOptions other = small_options();
  other.tying = Tying::none;
  other.target_vocabulary = 11;
  const SmallModel first(small_options()), second(other);
  const Translator both[] = {first.transformer, second.transformer};
  CHECK_THROWS_AS(translate(both, {{5}}, {}), Misuse);
  CHECK_THROWS_AS(translate({}, {{5}}, {}), Misuse);
}

}  // namespace
}  // namespace calque
