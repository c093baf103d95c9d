// The scores that tests/reference/record_metrics.py recorded from sacreBLEU: equal in print, and to
// 12 digits unless sacreBLEU computes in single precision.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/folders.h"
#include "train/metrics/resampling/resampling.h"
#include "train/metrics/sentence_scores.h"

using namespace calque;
using nlohmann::json;

namespace {

using Lines = std::vector<std::string>;
using Streams = std::vector<Lines>;

struct Answer {
  double score = 0;
  std::string text;
};

// One of the three metrics, with the options of a recorded question.
struct Metric {
  std::function<Answer(const Lines&, const Streams&, std::optional<Confidence>, const std::string&)>
      score;
  std::function<SegmentStatistics(const Lines&, const Streams&)> statistics;
  ScoreOfSums of_sums;
};

Metric bleu_metric(const json& o) {
  BleuOptions options;
  options.tokenization = parse_tokenization(o.value("tokenize", "13a"));
  options.lowercase = o.value("lowercase", false);
  options.effective_order = o.value("effective_order", false);
  options.smoothing = parse_smoothing(o.value("smooth_method", "exp"));
  if (o.contains("smooth_value")) options.smoothing_value = o["smooth_value"].get<double>();
  return {[=](const Lines& h, const Streams& r, std::optional<Confidence> confidence,
              const std::string& fields) {
            BleuScore score = bleu(h, r, options);
            if (confidence) score.signature = bleu_signature(r.size(), options, fields);
            score.confidence = confidence;
            return Answer{score.score, score.text()};
          },
          [=](const Lines& h, const Streams& r) { return bleu_statistics(h, r, options); },
          [=](std::span<const double> sums) { return bleu_of_sums(sums, options).score; }};
}

Metric chrf_metric(const json& o) {
  ChrfOptions options;
  options.character_order = o.value("char_order", 6);
  options.word_order = o.value("word_order", 0);
  options.beta = o.value("beta", 2);
  options.lowercase = o.value("lowercase", false);
  options.whitespace = o.value("whitespace", false);
  options.eps_smoothing = o.value("eps_smoothing", false);
  return {[=](const Lines& h, const Streams& r, std::optional<Confidence> confidence,
              const std::string& fields) {
            ChrfScore score = chrf(h, r, options);
            if (confidence) score.signature = chrf_signature(r.size(), options, fields);
            score.confidence = confidence;
            return Answer{score.score, score.text()};
          },
          [=](const Lines& h, const Streams& r) { return chrf_statistics(h, r, options); },
          [=](std::span<const double> sums) { return chrf_of_sums(sums, options).score; }};
}

Metric ter_metric(const json& o) {
  TerOptions options;
  options.normalized = o.value("normalized", false);
  options.no_punctuation = o.value("no_punct", false);
  options.asian_support = o.value("asian_support", false);
  options.case_sensitive = o.value("case_sensitive", false);
  return {[=](const Lines& h, const Streams& r, std::optional<Confidence> confidence,
              const std::string& fields) {
            TerScore score = ter(h, r, options);
            if (confidence) score.signature = ter_signature(r.size(), options, fields);
            score.confidence = confidence;
            return Answer{score.score, score.text()};
          },
          [=](const Lines& h, const Streams& r) { return ter_statistics(h, r, options); },
          [=](std::span<const double> sums) { return ter_of_sums(sums).score; }};
}

Metric metric_of(const json& question) {
  const std::string name = question["metric"];
  const json& options = question["options"];
  if (name == "BLEU") return bleu_metric(options);
  return name == "CHRF" ? chrf_metric(options) : ter_metric(options);
}

json recorded() {
  std::ifstream file(CALQUE_SOURCE_DIR "/tests/train/data/metrics/recorded.json");
  return json::parse(file);
}

// The recorded texts have no version.
std::string without_version(std::string text) {
  const size_t from = text.find("|version:");
  return text.erase(from, text.find(' ', from) - from);
}

void check_equal(const Answer& answer, const json& expected) {
  CHECK(without_version(answer.text) == expected["text"].get<std::string>());
  CHECK(answer.score == doctest::Approx(expected["score"].get<double>()).epsilon(1e-12));
}

}  // namespace

TEST_CASE("BLEU, chrF and TER of all recorded texts are printed as by sacreBLEU") {
  const json all = recorded();
  std::map<std::string, const json*> sets;
  for (const json& set : all["sets"]) sets[set["name"]] = &set;
  REQUIRE(all["results"].size() > 300);
  for (const json& question : all["results"]) {
    if (question.contains("each_line")) continue;
    const json& set = *sets.at(question["set"]);
    CAPTURE(question.dump());
    check_equal(metric_of(question).score(set["hypotheses"], set["references"], std::nullopt, ""),
                question);
  }
}

TEST_CASE("each recorded line by itself has the score that sacreBLEU gives a sentence") {
  const json all = recorded();
  std::map<std::string, const json*> sets;
  for (const json& set : all["sets"]) sets[set["name"]] = &set;
  size_t lines = 0;
  for (const json& question : all["results"]) {
    if (!question.contains("each_line")) continue;
    const json& set = *sets.at(question["set"]);
    lines += set["hypotheses"].size();
    for (size_t i = 0; i < set["hypotheses"].size(); ++i) {
      CAPTURE(question["set"]);
      CAPTURE(i);
      const std::string hypothesis = set["hypotheses"][i];
      Lines references;
      for (const json& stream : set["references"]) references.push_back(stream[i]);
      const std::string metric = question["metric"];
      Answer answer;
      if (metric == "BLEU") {
        const BleuScore score = sentence_bleu(hypothesis, references);
        answer = {score.score, score.text()};
      } else if (metric == "CHRF") {
        const ChrfScore score = sentence_chrf(hypothesis, references);
        answer = {score.score, score.text()};
      } else {
        const TerScore score = sentence_ter(hypothesis, references);
        answer = {score.score, score.text()};
      }
      check_equal(answer, question["lines"][i]);
    }
  }
  CHECK(lines == 195);
}

TEST_CASE("confidence intervals are printed with the digits that sacreBLEU prints") {
  const json all = recorded();
  const Lines baseline = all["systems"]["baseline"];
  const Streams references = all["systems"]["references"];
  REQUIRE(all["intervals"].size() == 3);
  for (const json& question : all["intervals"]) {
    CAPTURE(question.dump());
    const Metric metric = metric_of(question);
    const Resampling resampling{.samples = question["samples"]};
    const Confidence confidence =
        bootstrap(metric.statistics(baseline, references), metric.of_sums, resampling);
    check_equal(metric.score(baseline, references, confidence,
                             resampling_fields(PairedTest::bootstrap, resampling)),
                question);
  }
}

TEST_CASE("the p-values of both paired tests are sacreBLEU's") {
  const json all = recorded();
  const Lines baseline = all["systems"]["baseline"], system = all["systems"]["system"];
  const Streams references = all["systems"]["references"];
  REQUIRE(all["comparisons"].size() == 6);
  for (const json& question : all["comparisons"]) {
    CAPTURE(question.dump());
    const Metric metric = metric_of(question);
    const bool bootstrapped = question["test"] == "bs";
    const Comparison found =
        compare(metric.statistics(baseline, references), metric.statistics(system, references),
                metric.of_sums, bootstrapped ? PairedTest::bootstrap : PairedTest::randomization,
                {.samples = question["samples"]});
    CHECK(found.baseline == doctest::Approx(question["baseline"].get<double>()).epsilon(1e-12));
    CHECK(found.system == doctest::Approx(question["system"].get<double>()).epsilon(1e-12));
    CHECK(found.p_value == doctest::Approx(question["p_value"].get<double>()).epsilon(1e-12));
    CHECK(found.system_confidence.has_value() == bootstrapped);
    if (!bootstrapped) continue;
    // sacreBLEU divides in single precision when it resamples.
    const json& intervals = question["intervals"];
    const auto near = [](const json& value) {
      return doctest::Approx(value.get<double>()).epsilon(1e-5);
    };
    CHECK(found.baseline_confidence->mean == near(intervals[0][0]));
    CHECK(found.baseline_confidence->half_width == near(intervals[0][1]));
    CHECK(found.system_confidence->mean == near(intervals[1][0]));
    CHECK(found.system_confidence->half_width == near(intervals[1][1]));
  }
}
