// Predictions of curves with known ends.
#include "train/report/prediction.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "train/report/fixture.h"

using namespace calque;
using namespace calque::tests;

namespace {

// Validations of a run at 5%, 10%, ... up to `done`. The loss gains `gain` with each doubling.
std::string validations(double done, double gain, const char* more = "") {
  std::string lines;
  for (int i = 1; i <= std::lround(20 * done); ++i) {
    lines += fmt::format(R"({{"kind":"valid","step":{},"epoch":{},"loss":{}{}}})", 10 * i, 0.1 * i,
                         8 - gain * std::log2(i), more);
    lines += '\n';
  }
  return lines;
}

std::vector<Prediction> predicted(const std::string& metrics, double done) {
  const TemporaryRun run;
  return predictions(run.run(metrics), done);
}

}  // namespace

TEST_CASE("a loss gains a share of what it gained with the last doubling") {
  const std::vector<Prediction> ends = predicted(validations(0.5, 1), 0.5);
  REQUIRE(ends.size() == 1);
  const double now = 8 - std::log2(10.0);
  CHECK(ends[0].column == "loss");
  CHECK(ends[0].value == doctest::Approx(now - 0.44));
  CHECK(ends[0].low == doctest::Approx(now - 0.7));
  CHECK(ends[0].high == doctest::Approx(now - 0.25));
  const std::vector<Prediction> later = predicted(validations(0.9, 1), 0.9);
  CHECK(later[0].high - later[0].low < 0.1);
}

TEST_CASE("the accuracy gains with the loss") {
  std::string lines;
  for (int i = 1; i <= 10; ++i) {
    const double loss = 8 - std::log2(i);
    lines += fmt::format(R"({{"kind":"valid","step":{},"loss":{},"accuracy":{}}})", 10 * i, loss,
                         1 - 0.1 * loss);
    lines += '\n';
  }
  const std::vector<Prediction> ends = predicted(lines, 0.5);
  REQUIRE(ends.size() == 2);
  const double now = 1 - 0.1 * (8 - std::log2(10.0));
  CHECK(ends[1].column == "accuracy");
  CHECK(ends[1].low == doctest::Approx(now + 0.1 * 0.25 * 0.6));
  CHECK(ends[1].value == doctest::Approx(now + 0.1 * 0.44 * 0.9));
  CHECK(ends[1].high == doctest::Approx(now + 0.1 * 0.7 * 1.2));
}

TEST_CASE("the bits per character are the loss in another unit") {
  const TemporaryRun run;
  std::string lines;
  for (int i = 1; i <= 10; ++i) {
    const double loss = 8 - std::log2(i);
    lines += fmt::format(R"({{"kind":"valid","step":{},"loss":{},"bits_per_character":{}}})",
                         10 * i, loss, 1.5 * loss);
    lines += '\n';
  }
  run.write("metrics.jsonl", lines);
  const std::vector<Prediction> ends =
      predictions(read_run(run.folder(), metrics_of(TaskKind::language_model)), 0.5);
  REQUIRE(ends.size() == 2);
  CHECK(ends[1].low == doctest::Approx(1.5 * ends[0].low));
  CHECK(ends[1].high == doctest::Approx(1.5 * ends[0].high));
}

TEST_CASE("no share is predicted to be above 100%, and no loss below 0") {
  std::string lines;
  for (int i = 1; i <= 10; ++i) {
    lines += fmt::format(R"({{"kind":"valid","step":{},"loss":{},"accuracy":{}}})", 10 * i,
                         0.1 - 0.029 * std::log2(i), 0.8 + 0.06 * std::log2(i));
    lines += '\n';
  }
  const std::vector<Prediction> ends = predicted(lines, 0.3);
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].low == 0);
  CHECK(ends[1].value <= 1);
  CHECK(ends[1].high == 1);
}

TEST_CASE("a score of translations near 0 says nothing") {
  CHECK(predicted(validations(0.5, 1, R"(,"bleu":4)"), 0.5).size() == 1);
  CHECK(predicted(validations(0.5, 1, R"(,"bleu":6)"), 0.5).size() == 2);
}

TEST_CASE("nothing is predicted early, at the end and from few validations") {
  CHECK(predicted(validations(0.15, 1), 0.15).empty());
  CHECK(predicted(validations(1, 1), 1).empty());
  CHECK(predicted(R"({"kind":"valid","step":1,"loss":3})", 0.5).empty());
  CHECK(predicted(R"({"kind":"valid","step":1,"loss":"x"})", 0.5).empty());
}

TEST_CASE("a report shows the predictions after the last validation alone") {
  const TemporaryRun run;
  const std::string predicted =
      R"({"kind":"prediction","step":10,"end":{"loss":[1,0.5,2],"x":[1]}})"
      "\n";
  const std::string first = validations(0.05, 1);
  REQUIRE(run.run(first + predicted).predictions.size() == 1);
  CHECK(run.run(first + predicted).predictions[0].low == 0.5);
  CHECK(run.run(first + predicted + validations(0.1, 1)).predictions.empty());
}
