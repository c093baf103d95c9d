// Systems compared with a baseline: the scores are those of the metrics, the sentences those that
// differ most.
#include "train/metrics/system_comparison.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace calque {
namespace {

const TestSet& test_set() {
  static const TestSet test{.sources = {"1", "2", "3", "4"},
                            .places = {"a:1", "a:2", "b:1", "b:2"},
                            .references = {{"the dog bit the man", "it was not unexpected",
                                            "the man bit him first", "so it was"}}};
  return test;
}

// Against the baseline: better in 0 and 3, most in 3; worse in 1; equal in 2.
const std::vector<System>& systems() {
  static const std::vector<System> two{
      {"old", {"a dog bit the man", "it was unexpected", "the man bit", "nothing"}},
      {"new", {"the dog bit the man", "it was", "the man bit", "so it was"}}};
  return two;
}

TEST_CASE("the scores and p-values of compared systems are those of the paired tests alone") {
  for (const PairedTest kind : {PairedTest::bootstrap, PairedTest::randomization}) {
    const SystemComparisonOptions options{.test = kind, .resampling = {.samples = 200}};
    const SystemComparison found = compare_systems(systems(), test_set(), options);
    REQUIRE(found.metrics.size() == 3);
    CHECK(found.metrics[0].head.starts_with("BLEU|nrefs:1|"));
    CHECK(found.metrics[1].head.starts_with("chrF2|nrefs:1|"));
    CHECK(found.metrics[2].head.starts_with("TER|nrefs:1|"));
    CHECK(found.metrics[2].better == Better::lower);
    const auto chrf_of = [&](size_t system) {
      return chrf_statistics(systems()[system].outputs, test_set().references, {});
    };
    const Comparison alone = compare(
        chrf_of(0), chrf_of(1), [](auto sums) { return chrf_of_sums(sums, {}).score; }, kind,
        options.resampling);
    const Comparison& together = found.metrics[1].comparisons.at(0);
    CHECK(together.baseline == alone.baseline);
    CHECK(together.system == alone.system);
    CHECK(together.p_value == alone.p_value);
    CHECK(together.baseline == chrf(systems()[0].outputs, test_set().references).score);
    CHECK(together.difference_confidence.has_value() == (kind == PairedTest::bootstrap));
  }
}

TEST_CASE("the mean of resampled differences is the difference of the means") {
  const SystemComparison found = compare_systems(systems(), test_set(), {});
  for (const ComparedScores& scores : found.metrics) {
    const Comparison& pair = scores.comparisons[0];
    CHECK(pair.difference_confidence->mean ==
          doctest::Approx(pair.system_confidence->mean - pair.baseline_confidence->mean));
  }
}

TEST_CASE("a system compared with itself has the p-value 1") {
  for (const PairedTest kind : {PairedTest::bootstrap, PairedTest::randomization}) {
    const std::vector<System> same{systems()[0], systems()[0]};
    const SystemComparison found = compare_systems(same, test_set(), {.test = kind});
    for (const ComparedScores& scores : found.metrics) CHECK(scores.comparisons[0].p_value == 1);
    CHECK(found.sentences[0].equal == 4);
  }
}

TEST_CASE("the sentences with the largest differences of chrF come first, better and worse apart") {
  const SystemComparison all = compare_systems(systems(), test_set(), {});
  const ComparedSentences& found = all.sentences.at(0);
  CHECK(found.better == 2);
  CHECK(found.worse == 1);
  CHECK(found.equal == 1);
  REQUIRE(found.most_better.size() == 2);
  CHECK(found.most_better[0].number == 3);
  CHECK(found.most_better[0].system == doctest::Approx(100));
  CHECK(found.most_better[1].number == 0);
  REQUIRE(found.most_worse.size() == 1);
  CHECK(found.most_worse[0].number == 1);
  const SystemComparison one = compare_systems(systems(), test_set(), {.examples = 1});
  CHECK(one.sentences[0].most_better.size() == 1);
  const SystemComparison none = compare_systems(systems(), test_set(), {.examples = 0});
  CHECK(none.sentences[0].most_worse.empty());
  CHECK(none.sentences[0].better == 2);
}

TEST_CASE("the text shows both outputs of a sentence, and JSON all digits of the scores") {
  const SystemComparisonOptions options{.examples = 1};
  const SystemComparison found = compare_systems(systems(), test_set(), options);
  const std::string text = to_text(found, systems(), test_set(), options);
  CHECK(text.find("better: b:2, chrF2 100.0, was ") != std::string::npos);
  CHECK(text.find("  source     4\n  reference  so it was\n  old        nothing\n"
                  "  new        so it was\n") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json(found, systems(), test_set(), options));
  CHECK(json["metrics"][0]["systems"][1]["score"] == found.metrics[0].comparisons[0].system);
  CHECK(json["metrics"][0]["systems"][1]["p"] == found.metrics[0].comparisons[0].p_value);
  CHECK(json["metrics"][2]["higher_is_better"] == false);
  CHECK(json["comparisons"][0]["most_better"][0]["sentence"] == 4);
  CHECK(json["comparisons"][0]["most_better"][0]["outputs"][1] == "so it was");
}

}  // namespace
}  // namespace calque
