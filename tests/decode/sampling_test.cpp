// Sampling: distributions computed by hand, and the loop over a model whose next token depends only
// on the last token.
#include "decode/search/sampling.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "decode/markov_model.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

constexpr int32_t a = 3, b = 4, c = 5;
constexpr real never = -std::numeric_limits<real>::infinity();

// The share of each token among draws with 1000 evenly spaced random numbers.
std::vector<double> shares(const std::vector<real>& scores, const Sampling& sampling,
                           const Ids& seen = {}) {
  std::vector<double> counts(scores.size());
  for (int i = 0; i < 1000; ++i) {
    counts[sample_token(scores, 0, sampling, (i + 0.5) / 1000, seen)->id] += 0.001;
  }
  return counts;
}

void near(const std::vector<double>& found, const std::vector<double>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) CHECK(std::abs(found[i] - expected[i]) < 0.0021);
}

TEST_CASE("temperature, top-k and top-p determine how often a token is drawn") {
  const std::vector<real> scores = {std::log(real(0.1)), std::log(real(0.5)), std::log(real(0.4))};
  near(shares(scores, {}), {0.1, 0.5, 0.4});
  near(shares(scores, {.temperature = 0.5}), {0.01 / 0.42, 0.25 / 0.42, 0.16 / 0.42});
  near(shares(scores, {.top_k = 2}), {0, 5.0 / 9, 4.0 / 9});
  near(shares(scores, {.top_p = 0.6}), {0, 5.0 / 9, 4.0 / 9});
  near(shares(scores, {.top_p = 0.45}), {0, 1, 0});
  CHECK(sample_token(scores, 0, {.temperature = 0.5}, 0.1)->log_probability == scores[1]);
  const std::vector<real> none(5, -std::numeric_limits<real>::infinity());
  CHECK_FALSE(sample_token(none, 0, {}, 0.5).has_value());
}

TEST_CASE("min_p keeps the tokens with at least that share of the best token's probability") {
  const std::vector<real> scores = {std::log(real(0.1)), std::log(real(0.5)), std::log(real(0.4))};
  near(shares(scores, {.min_p = 0.19}), {0.1, 0.5, 0.4});
  near(shares(scores, {.min_p = 0.21}), {0, 5.0 / 9, 4.0 / 9});
  near(shares(scores, {.min_p = 0.81}), {0, 1, 0});
  near(shares(scores, {.min_p = 1}), {0, 1, 0});
  // After the temperature: 0.16 / 0.25 is 0.64.
  near(shares(scores, {.temperature = 0.5, .min_p = 0.63}), {0, 25.0 / 41, 16.0 / 41});
  near(shares(scores, {.temperature = 0.5, .min_p = 0.65}), {0, 1, 0});
  // The stricter of top_p and min_p decides.
  near(shares(scores, {.top_p = 0.45, .min_p = 0.1}), {0, 1, 0});
  near(shares(scores, {.top_p = 0.95, .min_p = 0.3}), {0, 5.0 / 9, 4.0 / 9});
}

TEST_CASE("a repetition penalty lowers negative and positive scores of tokens seen, once each") {
  const std::vector<real> negative = {std::log(real(0.1)), std::log(real(0.5)),
                                      std::log(real(0.4))};
  const Sampling twice{.repetition_penalty = 2};
  near(shares(negative, twice, {1, 1}), {0.1 / 0.75, 0.25 / 0.75, 0.4 / 0.75});
  near(shares(negative, twice), {0.1, 0.5, 0.4});
  const double e = std::exp(1.0);
  near(shares({2, 1, 0}, twice, {0}), {e / (2 * e + 1), e / (2 * e + 1), 1 / (2 * e + 1)});
  // The log-probability is the model's own.
  CHECK(sample_token(negative, 0, twice, 0.4, Ids{1, 2})->log_probability == negative[1]);
  const Sampling greedy{.temperature = 0, .repetition_penalty = 2};
  CHECK(sample_token(negative, 0, greedy, 0.5, Ids{1})->id == 2);
  CHECK_FALSE(sample_token(std::vector<real>{never}, 0, twice, 0.5, Ids{0}).has_value());
}

TEST_CASE("draws from many tokens are those of the whole list, sorted") {
  std::vector<real> scores(5000);
  for (int i = 0; i < 5000; ++i) scores[i] = static_cast<real>(-0.04 * ((i * 1237) % 5000));
  scores[17] = never;
  std::vector<int32_t> sorted(5000);
  std::ranges::generate(sorted, [id = 0]() mutable { return id++; });
  std::ranges::stable_sort(sorted, std::greater<>(), [&](int32_t id) { return scores[id]; });
  for (const Sampling& sampling :
       {Sampling{}, Sampling{.temperature = 3}, Sampling{.temperature = 20, .top_k = 300},
        Sampling{.temperature = 20, .top_p = 0.7}, Sampling{.temperature = 20, .min_p = 0.05},
        Sampling{.temperature = 1e-320}}) {
    const auto weight = [&](int32_t id) { return std::exp(scores[id] / sampling.temperature); };
    std::vector<int32_t> kept = sorted;
    if (sampling.top_k > 0) kept.resize(sampling.top_k);
    double total = 0;
    for (const int32_t id : kept) total += weight(id);
    double sum = 0;
    size_t count = 0;
    while (count < kept.size() && sum <= sampling.top_p * total &&
           weight(kept[count]) >= sampling.min_p * weight(kept[0])) {
      sum += weight(kept[count++]);
    }
    for (const double chance : {0.0, 0.11, 0.53, 0.87, 0.9991}) {
      double reached = 0;
      size_t place = 0;
      while (place + 1 < count && (reached += weight(kept[place])) <= chance * sum) ++place;
      CAPTURE(sampling.temperature);
      CAPTURE(chance);
      CHECK(sample_token(scores, 0, sampling, chance)->id == kept[place]);
    }
  }
}

// a -> b -> c -> a ..., each the most probable by far.
MarkovModel circle() {
  MarkovModel model(6);
  model.prefer(begin_id, a), model.prefer(a, b), model.prefer(b, c), model.prefer(c, a);
  return model;
}

DecodingItem item_up_to(int64_t longest) {
  DecodingItem item;
  item.longest = item.expected = longest;
  return item;
}

constexpr Sampling cold{.temperature = 0};

TEST_CASE("a sample is cut at its maximum length, or ended there by </s>") {
  const MarkovModel model = circle();
  const DecodingModel decoding[] = {model.decoding()};
  const std::vector<DecodingItem> items = {item_up_to(4), item_up_to(0), item_up_to(2)};
  SamplingOptions options{.sampling = cold};
  for (const bool close : {true, false}) {
    options.close_at_longest = close;
    const auto drawn = sample(decoding, items, options);
    CHECK(drawn[0][0].ids == Ids{a, b, c, a});
    CHECK(drawn[1][0].ids.empty());
    CHECK(drawn[2][0].ids == Ids{a, b});
    for (const auto& each : drawn) CHECK(each[0].finished == close);
  }
  // Of 6 tokens, 5 have a score of 0 and the preferred one of 5.
  const double step = 5 - std::log(std::exp(5.0) + 5);
  CHECK(sample(decoding, items, options)[0][0].log_probability == doctest::Approx(4 * step));
  options.close_at_longest = true;
  CHECK(sample(decoding, items, options)[0][0].log_probability ==
        doctest::Approx(4 * step - std::log(std::exp(5.0) + 5)));
}

TEST_CASE(
    "a stop function ends the samples for which it returns true, and `token` gets every token") {
  const MarkovModel model = circle();
  const DecodingModel decoding[] = {model.decoding()};
  const std::vector<DecodingItem> items(2, item_up_to(9));
  SamplingOptions options{.sampling = cold, .close_at_longest = false};
  options.stop = [](size_t item, std::span<const int32_t> written) {
    const Ids end = item == 0 ? Ids{b, c} : Ids{c, a};
    return written.size() >= 2 && std::ranges::equal(written.last(2), end);
  };
  std::vector<Ids> received(2);
  double logs = 0;
  options.token = [&](const SampledToken& token) {
    CHECK(token.sample == 0);
    received[token.item].push_back(token.id);
    if (token.item == 0) logs += token.log_probability;
  };
  const auto drawn = sample(decoding, items, options);
  CHECK(drawn[0][0].ids == Ids{a, b, c});
  CHECK(drawn[1][0].ids == Ids{a, b, c, a});
  CHECK(drawn[0][0].finished);
  CHECK(received == std::vector<Ids>{drawn[0][0].ids, drawn[1][0].ids});
  CHECK(logs == doctest::Approx(drawn[0][0].log_probability));
}

TEST_CASE("</s> ends a sample, is passed to `token`, and is not part of the text") {
  MarkovModel model(6);
  model.prefer(begin_id, c), model.prefer(c, end_id);
  const DecodingModel decoding[] = {model.decoding()};
  const std::vector<DecodingItem> items = {item_up_to(9)};
  Ids received;
  const SamplingOptions options{.sampling = cold,
                                .token = [&](const SampledToken& t) { received.push_back(t.id); }};
  const auto drawn = sample(decoding, items, options);
  CHECK(drawn[0][0].ids == Ids{c});
  CHECK(drawn[0][0].finished);
  CHECK(received == Ids{c, end_id});
}

TEST_CASE("the repetition penalty applies to the tokens of the context and of the text") {
  const MarkovModel model(6);
  model.row(begin_id)[b] = 5, model.row(begin_id)[a] = 3;
  model.prefer(a, c);
  model.row(b)[b] = 5, model.row(b)[c] = 4;
  model.prefer(c, c);
  const DecodingModel decoding[] = {model.decoding()};
  std::vector<DecodingItem> items(2, item_up_to(2));
  items[1].context = {b};
  SamplingOptions options{.sampling = cold, .close_at_longest = false};
  CHECK(sample(decoding, items, options)[0][0].ids == Ids{b, b});
  CHECK(sample(decoding, items, options)[1][0].ids == Ids{b, b});
  options.sampling.repetition_penalty = 2;
  CHECK(sample(decoding, items, options)[0][0].ids == Ids{b, c});  // 5 / 2 for b against 4 for c
  CHECK(sample(decoding, items, options)[1][0].ids == Ids{a, c});  // and against 3 for a
}

TEST_CASE("samples differ from each other and do not depend on the batch") {
  const MarkovModel model(30);
  const DecodingModel decoding[] = {model.decoding()};
  std::vector<DecodingItem> items(20, item_up_to(12));
  for (size_t i = 0; i < items.size(); ++i) items[i].number = static_cast<int64_t>(i) + 100;
  SamplingOptions options{.samples = 3};
  const auto drawn = sample(decoding, items, options);
  CHECK(drawn[0][0].ids != drawn[0][1].ids);
  CHECK(drawn[0][0].ids != drawn[1][0].ids);
  options.batch_tokens = 50;
  const auto in_parts = sample(decoding, items, options);
  const auto alone = sample(decoding, {&items[7], 1}, options);
  for (size_t n = 0; n < 3; ++n) CHECK(alone[0][n].ids == drawn[7][n].ids);
  for (size_t i = 0; i < items.size(); ++i) CHECK(in_parts[i][2].ids == drawn[i][2].ids);
}

TEST_CASE("invalid sampling options are refused") {
  const MarkovModel model = circle();
  const DecodingModel decoding[] = {model.decoding()};
  const std::vector<DecodingItem> items = {item_up_to(3)};
  CHECK_THROWS_AS(sample(decoding, items, {.samples = 0}), Misuse);
  CHECK_THROWS_AS(sample(decoding, items, {.sampling = {.temperature = -1}}), Misuse);
  CHECK_THROWS_AS(sample(decoding, items, {.sampling = {.repetition_penalty = 0}}), Misuse);
  std::vector<DecodingItem> outside = items;
  outside[0].first = 6;
  CHECK_THROWS_AS(sample(decoding, outside, {}), Misuse);
  outside = items;
  outside[0].context = {-1};
  CHECK_THROWS_AS(sample(decoding, outside, {}), Misuse);
}

}  // namespace
}  // namespace calque
