// The rules of the beam, on handmade candidates.
#include "decode/search/beam.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

#include "core/random.h"
#include "data/tokenizers/vocabulary.h"
#include "decode/translation.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

constexpr int32_t a = 3, b = 4, c = 5;

TranslationOptions beam_of(int64_t width) {
  TranslationOptions options;
  options.beam = width;
  options.penalty = SearchOptions::Penalty::none;
  options.max_length = 10;
  return options;
}

// The beam of a source of this length.
Beam beam_for(const TranslationOptions& options, size_t source_length) {
  return {options, translation_items({Ids(source_length, a)}, options).front()};
}

std::vector<Ids> live_ids(const Beam& beam) {
  std::vector<Ids> all;
  for (const Beam::Live& live : beam.live()) all.push_back(live.ids);
  return all;
}

bool allowed(const Beam& beam, const Ids& ids, int32_t id) {
  std::vector<real> scores(6, real(0));
  beam.candidates({.ids = ids}, scores);
  return scores[id] == 0;
}

TEST_CASE("the most probable continuations are kept, with the rows that they continue") {
  Beam beam = beam_for(beam_of(2), 5);
  beam.advance({{{a, -1}, {b, -2}, {c, -3}}}, 7);
  CHECK(live_ids(beam) == std::vector<Ids>{{a}, {b}});
  CHECK(beam.live()[1].row == 7);
  beam.advance({{{a, -3}, {b, -4}}, {{c, real(-0.5)}, {a, -1}}}, 10);
  CHECK(live_ids(beam) == std::vector<Ids>{{b, c}, {b, a}});
  CHECK(beam.live()[0].row == 11);
  CHECK(beam.live()[0].log_probability == doctest::Approx(-2.5));
}

TEST_CASE("in a beam of 2, </s> ends a hypothesis only if it is one of the 2 best candidates") {
  TranslationOptions options = beam_of(2);
  options.stop = SearchOptions::Stop::never;
  Beam beam = beam_for(options, 5);
  beam.advance({{{a, -1}, {b, -2}, {end_id, -3}}}, 0);
  CHECK(live_ids(beam).size() == 2);
  beam.advance({{{end_id, -1}, {a, -5}}, {{c, -2}, {a, -3}}}, 0);
  CHECK(live_ids(beam) == std::vector<Ids>{{b, c}, {b, a}});
  REQUIRE(beam.result().size() == 1);
  CHECK(beam.result()[0].ids == Ids{a});
  CHECK(beam.result()[0].finished);
}

TEST_CASE("the rule `optimal` stops when no unfinished hypothesis can win") {
  Beam beam = beam_for(beam_of(2), 5);
  beam.advance({{{end_id, -1}, {a, real(-0.5)}, {b, -4}}}, 0);
  CHECK_FALSE(beam.done());  // "a" is still more probable
  beam.advance({{{a, -1}, {b, -2}}, {{a, -1}, {b, -1}}}, 0);
  CHECK(beam.done());
  CHECK(beam.result()[0].ids.empty());
}

TEST_CASE(
    "the rule `optimal` assumes the best possible length penalty for an unfinished hypothesis") {
  TranslationOptions options = beam_of(2);
  options.penalty = SearchOptions::Penalty::power;
  Beam beam = beam_for(options, 5);
  beam.advance({{{end_id, -1}, {a, -2}, {b, -9}}}, 0);
  CHECK_FALSE(beam.done());  // -2 / 11 could still beat -1 / 1
  beam.advance({{{end_id, real(-0.1)}}, {{c, -1}}}, 0);
  CHECK_FALSE(beam.done());                              // -10 / 11 could still beat -1
  CHECK(beam.result()[0].score == doctest::Approx(-1));  // the other finished one has -1.05
}

TEST_CASE("the rule `first` stops when as many hypotheses have finished as the beam is wide") {
  TranslationOptions options = beam_of(2);
  options.stop = SearchOptions::Stop::first;
  Beam beam = beam_for(options, 5);
  beam.advance({{{end_id, -1}, {a, -2}, {b, -9}}}, 0);
  CHECK_FALSE(beam.done());
  beam.advance({{{end_id, -1}, {c, -4}}, {{c, -1}}}, 0);
  CHECK(beam.done());
  CHECK(beam.result()[0].ids.empty());
}

TEST_CASE("with the rule `narrow`, a finished hypothesis takes a place in the beam") {
  TranslationOptions options = beam_of(3);
  options.stop = SearchOptions::Stop::narrow;
  Beam beam = beam_for(options, 5);
  beam.advance({{{end_id, -1}, {a, -2}, {b, -3}, {c, -4}}}, 0);
  CHECK(live_ids(beam) == std::vector<Ids>{{a}, {b}});
  beam.advance({{{a, -1}, {c, -2}}, {{end_id, real(-0.5)}, {c, -5}}}, 0);
  CHECK(live_ids(beam) == std::vector<Ids>{{a, a}});
  beam.advance({{{b, -1}, {end_id, real(-1.5)}}}, 0);  // the end is second, but one place is left
  CHECK(live_ids(beam) == std::vector<Ids>{{a, a, b}});
  beam.advance({{{end_id, -1}, {c, -2}}}, 0);
  CHECK(beam.done());
  CHECK(beam.result()[0].ids.empty());
}

TEST_CASE("the rule `never` continues to the maximum length") {
  TranslationOptions options = beam_of(1);
  options.beam = 2;
  options.stop = SearchOptions::Stop::never;
  options.max_length = 2;
  Beam beam = beam_for(options, 5);
  beam.advance({{{end_id, -1}, {a, -2}, {b, -9}}}, 0);
  beam.advance({{{end_id, -1}, {a, -2}}, {{a, -2}}}, 0);
  CHECK_FALSE(beam.done());
  beam.advance({{{end_id, -1}}, {{end_id, -1}}}, 0);
  CHECK(beam.done());
}

TEST_CASE("greedy search stops at the first </s>") {
  Beam beam = beam_for(beam_of(1), 5);
  beam.advance({{{end_id, -1}, {a, -2}}}, 0);
  CHECK(beam.done());
}

TEST_CASE("the result is the n best, best first") {
  TranslationOptions options = beam_of(4);
  options.n_best = 2;
  Beam beam = beam_for(options, 5);
  beam.advance({{{a, -1}, {b, -2}, {c, -3}, {end_id, -4}}}, 0);
  beam.advance({{{end_id, -9}}, {{end_id, -1}}, {{end_id, real(-0.5)}}}, 0);
  CHECK(beam.done());
  const auto best = beam.result();
  REQUIRE(best.size() == 2);
  CHECK(best[0].ids == Ids{b});
  CHECK(best[1].ids == Ids{c});
  CHECK(best[0].score == doctest::Approx(-3));
}

TEST_CASE("both length penalties follow their formulas and count </s>") {
  TranslationOptions options = beam_of(2);
  options.length_penalty = 0.6;
  options.penalty = SearchOptions::Penalty::wu;
  const auto finish = [&] {
    Beam beam = beam_for(options, 5);
    beam.advance({{{a, -1}}}, 0);
    beam.advance({{{end_id, -2}}}, 0);
    return beam.result()[0].score;
  };
  CHECK(finish() == doctest::Approx(-3 / std::pow(7.0 / 6, 0.6)));
  options.penalty = SearchOptions::Penalty::power;
  CHECK(finish() == doctest::Approx(-3 / std::pow(2, 0.6)));
  options.penalty = SearchOptions::Penalty::none;
  CHECK(finish() == doctest::Approx(-3));
}

TEST_CASE("</s> is forbidden below the minimum length, and all else is at the maximum length") {
  TranslationOptions options = beam_of(2);
  options.min_length = 2;
  options.max_length = 3;
  const Beam beam = beam_for(options, 5);
  CHECK_FALSE(allowed(beam, {a}, end_id));
  CHECK(allowed(beam, {a, b}, end_id));
  CHECK(allowed(beam, {a, b}, a));
  CHECK(allowed(beam, {a, b, c}, end_id));
  CHECK_FALSE(allowed(beam, {a, b, c}, a));
  CHECK_FALSE(allowed(beam, {a}, begin_id));
}

TEST_CASE("the maximum length grows with the source") {
  TranslationOptions options = beam_of(1);
  options.max_length = 0;
  options.max_length_ratio = 0.5;
  options.max_length_extra = 1;
  const Beam beam = beam_for(options, 3);  // ceil(1.5) + 1
  CHECK(allowed(beam, {a, b}, a));
  CHECK_FALSE(allowed(beam, {a, b, c}, a));
}

TEST_CASE("no n-gram is written twice") {
  TranslationOptions options = beam_of(1);
  options.no_repeat_ngram = 2;
  const Beam pairs = beam_for(options, 5);
  CHECK_FALSE(allowed(pairs, {a, b, c, a}, b));
  CHECK(allowed(pairs, {a, b, c, a}, c));
  CHECK_FALSE(allowed(pairs, {a, a}, a));
  CHECK(allowed(pairs, {a}, a));
  options.no_repeat_ngram = 1;
  const Beam single = beam_for(options, 5);
  CHECK_FALSE(allowed(single, {a, b}, a));
  CHECK(allowed(single, {a, b}, c));
  options.no_repeat_ngram = 5;
  CHECK(allowed(beam_for(options, 5), {a, b, c}, a));
}

TEST_CASE("a hypothesis without an allowed token is cut off and not finished") {
  Beam beam = beam_for(beam_of(2), 5);
  beam.advance({{{a, -1}}}, 0);
  beam.advance({{}}, 0);
  CHECK(beam.done());
  CHECK(beam.result()[0].ids == Ids{a});
  CHECK_FALSE(beam.result()[0].finished);
}

TEST_CASE("best() sorts tokens by score, equal scores by id, and leaves out forbidden tokens") {
  std::vector<real> scores(300, real(-1));
  scores[299] = 5;
  scores[70] = 4;
  scores[3] = -std::numeric_limits<real>::infinity();
  const auto best = ScoreRow(scores).best(4, 1);
  REQUIRE(best.size() == 4);
  CHECK(best[0].id == 299);
  CHECK(best[0].log_probability == doctest::Approx(4));
  CHECK(best[1].id == 70);
  CHECK(best[2].id == 0);
  CHECK(best[3].id == 1);
  CHECK(ScoreRow(scores).best(1000, 0).size() == 299);
}

TEST_CASE("the best of many scores are the first of the sorted scores") {
  Random random({.seed = 5});
  for (const size_t size : {1, 63, 64, 65, 700, 5000}) {
    std::vector<real> scores(size);
    for (real& score : scores) score = static_cast<real>(random.below(400)) / 8;  // some are equal
    std::vector<int32_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater<>(), [&](int32_t id) { return scores[id]; });
    for (const int64_t count : {1, 2, 10, 80}) {
      std::vector<int32_t> found;
      for (const NextToken& token : ScoreRow(scores).best(count, 0)) found.push_back(token.id);
      const auto wanted =
          std::span(order).first(std::min(static_cast<size_t>(count), order.size()));
      CHECK(std::ranges::equal(found, wanted));
    }
  }
}

TEST_CASE("best() sees scores that were lowered after construction") {
  std::vector<real> scores(300, real(-1));
  scores[299] = 5;
  scores[70] = 4;
  const ScoreRow row(scores);
  scores[299] = -std::numeric_limits<real>::infinity();
  scores[70] = -2;
  const auto best = row.best(2, 0);
  REQUIRE(best.size() == 2);
  CHECK(best[0].id == 0);
  CHECK(best[1].id == 1);
}

TEST_CASE("the mean of probabilities is correct, however small they are") {
  const Tensor one = Tensor::of({2, 2}, {std::log(real(3)), 0, 0, -500});
  const Tensor other = Tensor::of({2, 2}, {0, 0, 0, -400});
  const Tensor mean = mean_of_probabilities({one, other, other});
  CHECK(mean.span()[0] == doctest::Approx(std::log((0.75 + 0.5 + 0.5) / 3)));
  CHECK(mean.span()[1] == doctest::Approx(std::log((0.25 + 0.5 + 0.5) / 3)));
  CHECK(mean.span()[2] == doctest::Approx(0));
  CHECK(mean.span()[3] == doctest::Approx(-400 + std::log(2.0 / 3)));
}

TEST_CASE("log_sum_exp() does not overflow or underflow for large and small scores") {
  const auto log_sum_exp = [](const std::vector<real>& scores) {
    return ScoreRow(scores).log_sum_exp();
  };
  CHECK(log_sum_exp({1000, 1000}) == doctest::Approx(1000 + std::log(2)));
  CHECK(log_sum_exp(std::vector<real>(37, real(-1e4))) == doctest::Approx(-1e4 + std::log(37)));
  CHECK(log_sum_exp({}) == -std::numeric_limits<real>::infinity());
}

}  // namespace
}  // namespace calque
