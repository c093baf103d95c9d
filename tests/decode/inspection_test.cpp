// The inspections of a language model: the states that they start from, and what each finds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "data/tokenizers/vocabulary.h"
#include "decode/inspection/attribution.h"
#include "decode/inspection/edited_output.h"
#include "decode/inspection/head_patterns.h"
#include "decode/inspection/logit_lens.h"
#include "decode/inspection/patching.h"
#include "decode/inspection/zeroed_heads.h"
#include "decode/models/language_decoding.h"
#include "decode/plain_decoding.h"
#include "decode/search/sampling.h"
#include "nn/small_language_model.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

const Ids text = {begin_id, 4, 9, 3, 7, 7, 5};
const double rounding = sizeof(real) == 4 ? 1e-5 : 1e-12;

Ids prefix(int64_t tokens) { return {text.begin(), text.begin() + tokens}; }

double largest_difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  double largest = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double{a.data()[i]} - double{b.data()[i]}));
  }
  return largest;
}

// log p of every token after the ids, by the model itself.
Tensor expected_logs(const LanguageModel& model, const Ids& ids) {
  const Segments whole = equal_texts(1, std::ssize(ids));
  return log_softmax(model.logits(ends_of(model.hidden(ids, whole, Mode::evaluate), whole)));
}

Tensor edited_logs(const LanguageModel& model, const Ids& ids, const Edits& edits) {
  const Tensor last = residual_states(model, ids, edits).back();
  return read_out(model, ends_of(last, equal_texts(1, std::ssize(ids))));
}

// The model with zeros in the rows of the output projection that read this head.
SmallLanguageModel without_rows_of(const LanguageModelOptions& options, HeadPlace place) {
  SmallLanguageModel small(options);
  const Tensor& weight = small.model.stack.layers[place.layer].self_attention.output.weight;
  const int64_t numbers = options.layer.head_size() * weight.cols();
  std::ranges::fill(weight.span().subspan(place.head * numbers, numbers), real(0));
  return small;
}

}  // namespace

TEST_CASE("the last state, read out, is the output of the model; every state leads to it") {
  for (const LanguageModelVariant& variant : language_model_variants()) {
    CAPTURE(variant.name);
    const SmallLanguageModel small(variant.options);
    const std::vector<Tensor> states = residual_states(small.model, text);
    REQUIRE(states.size() == 3);
    const Tensor expected = expected_logs(small.model, text);
    const Segments whole = equal_texts(1, std::ssize(text));
    for (int64_t from = 0; from < 3; ++from) {
      const Tensor last = last_state(small.model, states[from], from, whole);
      CHECK(largest_difference(read_out(small.model, ends_of(last, whole)), expected) < rounding);
    }
  }
}

TEST_CASE("the logit lens of the last state is the model's distribution, that of others is not") {
  const SmallLanguageModel small(small_language_model_options());
  const Ids targets = {4, 9, 3, 7, 7, 5, end_id};
  const auto lens = logit_lens(small.model, residual_states(small.model, text), targets);
  REQUIRE(lens.size() == 3);
  for (size_t t = 0; t < text.size(); ++t) {
    const auto logs = next_log_probabilities(small.model, prefix(static_cast<int64_t>(t) + 1));
    const LensGuess& guess = lens[2][t];
    REQUIRE(guess.best.size() == 5);
    CHECK(guess.target == doctest::Approx(std::exp(logs[targets[t]])).epsilon(1e-4));
    CHECK(guess.best[0].token == std::ranges::max_element(logs) - logs.begin());
    for (const LikelyToken& each : guess.best) {
      CHECK(each.probability == doctest::Approx(std::exp(logs[each.token])).epsilon(1e-4));
    }
    CHECK(std::ranges::is_sorted(guess.best, std::greater<>(), &LikelyToken::probability));
    CHECK(std::abs(lens[0][t].target - guess.target) > 1e-4);
  }
  CHECK_THROWS_AS(logit_lens(small.model, residual_states(small.model, text), Ids{4}), Misuse);
}

TEST_CASE("heads that see only some tokens have the scores of their masks") {
  LanguageModelOptions options = small_language_model_options();
  options.layer.attention = {.window = 1};  // the token itself and the one before
  const SmallLanguageModel small(options);
  const auto patterns = head_patterns(small.model, text, 16);
  REQUIRE(patterns.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    const HeadPattern& pattern = patterns[i];
    CHECK(pattern.layer == static_cast<int>(i / 2));
    CHECK(pattern.head == static_cast<int>(i % 2));
    CHECK(pattern.previous + pattern.own == doctest::Approx(1));
    CHECK(pattern.first == 0);
    CHECK(pattern.induction == 0);
  }
}

TEST_CASE("heads with equal scores for all keys have the scores of a mean") {
  LanguageModelOptions options = small_language_model_options();
  const SmallLanguageModel small(options);
  for (const SelfAttentionLayer& layer : small.model.stack.layers) {
    std::ranges::fill(layer.self_attention.qkv.weight.span(), real(0));
    std::ranges::fill(layer.self_attention.qkv.bias.span(), real(0));
  }
  const double mean = (1.0 / 3 + 1.0 / 4 + 1.0 / 5 + 1.0 / 6 + 1.0 / 7) / 5;
  // The second time, queries 7 to 12 see 8 to 13 tokens.
  const double second = (1.0 / 8 + 1.0 / 9 + 1.0 / 10 + 1.0 / 11 + 1.0 / 12 + 1.0 / 13) / 6;
  for (const HeadPattern& pattern : head_patterns(small.model, text, 16)) {
    CHECK(pattern.previous == doctest::Approx(mean));
    CHECK(pattern.first == doctest::Approx(mean));
    CHECK(pattern.own == doctest::Approx(mean));
    CHECK(pattern.induction == doctest::Approx(second));
    CHECK(pattern_name(pattern).empty());
  }
  // A text that is cut to three tokens when it is read twice does not show induction.
  CHECK(std::isnan(head_patterns(small.model, text, 8).front().induction));
  CHECK(std::isnan(head_patterns(small.model, prefix(2), 16).front().previous));
}

TEST_CASE("a head has the name of its highest score, or none") {
  CHECK(pattern_name({0, 0, 0.7, 0.2, 0.1, 0.3}) == "previous token");
  CHECK(pattern_name({0, 0, 0.1, 0.8, 0.1, 0.3}) == "first token");
  CHECK(pattern_name({0, 0, 0.1, 0.2, 0.4, 0.3}) == "own token");
  CHECK(pattern_name({0, 0, 0.45, 0.2, 0.1, 0.6}) == "induction");
  CHECK(pattern_name({0, 0, 0.39, 0.2, 0.1, NAN}).empty());
}

// The logit of a token after the text whose embedding of token t is multiplied by `factor`.
double scaled_output(const LanguageModel& model, int64_t t, real factor, int32_t token) {
  const Segments whole = equal_texts(1, std::ssize(text));
  Tensor input = Tensor::of({std::ssize(text), 8}, model.embedding(text).span());
  for (real& number : input.span().subspan(t * 8, 8)) number *= factor;
  const Tensor last = last_state(model, model.positions(input, whole), 0, whole);
  return logits_of(model, ends_of(last, whole)).data()[token];
}

TEST_CASE("attributions are the derivatives by factors of the embeddings") {
  const bool in_double = sizeof(real) == 8;
  const real step = in_double ? real(1e-4) : real(1e-2);
  for (const LanguageModelVariant& variant : language_model_variants()) {
    CAPTURE(variant.name);
    const SmallLanguageModel small(variant.options);
    const std::vector<real> found = attribution(small.model, text, 6);
    REQUIRE(found.size() == text.size());
    for (int64_t t = 0; t < std::ssize(text); ++t) {
      CAPTURE(t);
      const double change =
          scaled_output(small.model, t, 1 + step, 6) - scaled_output(small.model, t, 1 - step, 6);
      const double derivative = change / (2 * step);
      CHECK(std::abs(found[t] - derivative) <
            (in_double ? 1e-6 : 3e-3) * (1 + std::abs(derivative)));
    }
  }
}

TEST_CASE("attributions of a text explain its last tokens from the tokens before each") {
  const SmallLanguageModel small(small_language_model_options());
  const ExplainedMatrix matrix = attributions(small.model, text, 2);
  CHECK(matrix.rows == 2);
  REQUIRE(matrix.columns == 6);
  const std::vector<real> first = attribution(small.model, prefix(5), 7),
                          second = attribution(small.model, prefix(6), 5);
  for (size_t t = 0; t < 6; ++t) {
    CHECK(matrix.values[t] == (t < 5 ? static_cast<float>(first[t]) : 0));
    CHECK(matrix.values[6 + t] == static_cast<float>(second[t]));
  }
  CHECK_THROWS_AS(attributions(small.model, text, 7), Misuse);
}

TEST_CASE(
    "patching: equal tokens change nothing, the last token's last state gives the other output") {
  for (const LanguageModelVariant& variant : language_model_variants()) {
    CAPTURE(variant.name);
    const SmallLanguageModel small(variant.options);
    const Ids other = {begin_id, 4, 9, 8, 7, 7, 5};  // differs in token 3
    const Patching patching = patch_states(small.model, text, other);
    const Tensor before = expected_logs(small.model, text),
                 after = expected_logs(small.model, other);
    const auto difference = [&](const Tensor& logs) {
      return logs.data()[patching.gains] - logs.data()[patching.loses];
    };
    const double tolerance = 10 * std::max(rounding, 1e-7);  // a Patching holds floats
    CHECK(std::abs(patching.before - difference(before)) < tolerance);
    CHECK(std::abs(patching.after - difference(after)) < tolerance);
    CHECK(patching.after > patching.before);
    REQUIRE(patching.patched.rows == 3);
    REQUIRE(patching.patched.columns == 7);
    const auto patched = [&](int64_t state, int64_t token) {
      return patching.patched.values[state * 7 + token];
    };
    for (int64_t state = 0; state < 3; ++state) {
      for (const int64_t same : {0, 1, 2}) {
        CHECK(std::abs(patched(state, same) - patching.before) < tolerance);
      }
    }
    // In state 0 only token 3 differs, so it carries everything; in the last state, the last token.
    CHECK(std::abs(patched(0, 3) - patching.after) < tolerance);
    CHECK(std::abs(patched(2, 6) - patching.after) < tolerance);
    CHECK(std::abs(patched(2, 3) - patching.before) < tolerance);
  }
}

TEST_CASE("a state that is patched at every token gives the other prompt's output") {
  const SmallLanguageModel small(small_language_model_options());
  const Ids other = {begin_id, 8, 3, 8, 10, 6, 5};
  const Segments whole = equal_texts(1, 7);
  const std::vector<Tensor> others = residual_states(small.model, other);
  for (int64_t state = 0; state < 3; ++state) {
    const Tensor last = last_state(small.model, others[state], state, whole);
    CHECK(largest_difference(read_out(small.model, ends_of(last, whole)),
                             expected_logs(small.model, other)) < rounding);
  }
  CHECK_THROWS_AS(patch_states(small.model, text, prefix(3)), Misuse);
}

TEST_CASE("a zeroed head equals a model whose output projection does not read it") {
  for (const LanguageModelVariant& variant : language_model_variants()) {
    CAPTURE(variant.name);
    const SmallLanguageModel small(variant.options);
    const auto zeroed = zeroed_heads(small.model, residual_states(small.model, text), 6);
    const int64_t heads = variant.options.layer.heads;
    REQUIRE(std::ssize(zeroed) == 2 * heads);
    for (const ZeroedHead& each : zeroed) {
      const HeadPlace place{each.layer, each.head};
      CAPTURE(place.layer);
      CAPTURE(place.head);
      const SmallLanguageModel cut = without_rows_of(variant.options, place);
      const Tensor expected = expected_logs(cut.model, text);
      CHECK(each.target == doctest::Approx(std::exp(expected.data()[6])).epsilon(1e-4));
      CHECK(each.next.front().token ==
            std::ranges::max_element(expected.span()) - expected.span().begin());
      CHECK(largest_difference(edited_logs(small.model, text, {.without = {place}}), expected) <
            10 * rounding);
      CHECK(largest_difference(expected, expected_logs(small.model, text)) > 1e-4);
    }
  }
}

TEST_CASE("steering adds a direction to a state of every token") {
  const SmallLanguageModel small(small_language_model_options());
  const Tensor direction = direction_of(small.model, Ids{6}, 3);
  CHECK(length_of_last(direction.reshaped({1, 8})) == doctest::Approx(3));
  const Tensor row = slice_rows(small.model.output.weight, 6, 7);
  CHECK(largest_difference(row * (3 / length_of_last(row)), direction.reshaped({1, 8})) < rounding);

  const std::vector<Tensor> states = residual_states(small.model, text);
  for (int64_t state = 0; state < 3; ++state) {
    const Segments whole = equal_texts(1, 7);
    const Tensor last = last_state(small.model, states[state] + direction, state, whole);
    const Edits edits{.pushes = {{state, direction}}};
    CHECK(largest_difference(read_out(small.model, ends_of(last, whole)),
                             edited_logs(small.model, text, edits)) < rounding);
  }
  // After the last layer, the direction of a token makes this token likelier.
  const auto next = compare_next(small.model, text, {.pushes = {{2, direction}}});
  const auto found = std::ranges::find(next, 6, &ChangedToken::token);
  REQUIRE(found != next.end());
  CHECK(found->after > found->before);
  CHECK(std::ranges::is_sorted(next, std::greater<>(), &ChangedToken::after));
}

TEST_CASE("without edits, decoding with edits writes what decoding with a cache writes") {
  const SmallLanguageModel small(small_language_model_options());
  const std::vector<Ids> prompts = {{begin_id, 4, 9, 3}};
  SamplingOptions greedy;
  greedy.sampling.temperature = 0;
  greedy.close_at_longest = false;
  const auto written = [&](const DecodingModel& model) {
    return sample({&model, 1}, language_items(prompts, 8), greedy).front().front().ids;
  };
  const Ids expected = written(language_decoding_model(small.model, prompts));
  CHECK(!expected.empty());
  const Edits none;
  CHECK(written(edited_model(small.model, prompts.front(), none)) == expected);
  const Edits pushed{.pushes = {{2, direction_of(small.model, Ids{6}, 100)}}};
  CHECK(written(edited_model(small.model, prompts.front(), pushed)) == Ids(8, 6));
}

}  // namespace calque
