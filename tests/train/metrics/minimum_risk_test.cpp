// Minimum Bayes risk: the sample that is the most similar to the others.
#include "train/metrics/translation/minimum_risk.h"

#include <doctest/doctest.h>

#include "train/metrics/translation/chrf.h"

namespace calque {
namespace {

using Texts = std::vector<std::string>;

double similarity(const std::string& hypothesis, const std::string& reference) {
  const Texts hypotheses = {hypothesis};
  const std::vector<Texts> references = {{reference}};
  return chrf(hypotheses, references).score;
}

TEST_CASE("the sample with the most in common with the others is the first") {
  const Texts samples = {"a red house", "the cat slept", "the cat sleeps", "my cat sleeps"};
  for (const Utility utility : {Utility::chrf, Utility::bleu}) {
    const auto ranked = rank_by_risk(samples, utility);
    REQUIRE(ranked.size() == 4);
    CHECK(ranked.front().index == 2);
    CHECK(ranked.back().index == 0);
  }
}

TEST_CASE("the risk is the mean over all samples, those that are equal included") {
  const Texts samples = {"one two", "three", "one two", "one three"};
  const auto ranked = rank_by_risk(samples, Utility::chrf);
  REQUIRE(ranked.size() == 3);
  for (const RankedSample& each : ranked) {
    double sum = 0;
    for (const std::string& reference : samples) sum += similarity(samples[each.index], reference);
    CHECK(each.utility == doctest::Approx(sum / 4));
  }
  CHECK(ranked[0].utility >= ranked[1].utility);
  CHECK(ranked[1].utility >= ranked[2].utility);
}

TEST_CASE("one sample, equal samples and empty ones have a rank") {
  for (const Utility utility : {Utility::chrf, Utility::bleu}) {
    CHECK(rank_by_risk(Texts{"a b"}, utility).front().utility == doctest::Approx(100));
    CHECK(rank_by_risk(Texts{"a", "a"}, utility).size() == 1);
    CHECK(rank_by_risk(Texts{"", "", "a"}, utility).size() == 2);
  }
}

}  // namespace
}  // namespace calque
