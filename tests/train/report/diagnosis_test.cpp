// Each fault in curves written for it, and the nearest healthy curves.
#include "train/report/diagnosis.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>

#include "train/report/fixture.h"

using namespace calque;
using namespace calque::tests;

namespace {

// 40 records of a curve over the share of the run, which goes from 0 to 1.
std::string training(const std::function<double(double)>& loss, double norm = 0.5) {
  std::string lines;
  for (int i = 1; i <= 40; ++i) {
    lines += fmt::format(
        R"({{"kind":"train","step":{},"epoch":{},"loss":{},"lr":0.001,"grad_norm":{}}})", 10 * i,
        0.1 * i, loss(i / 40.0), norm);
    lines += '\n';
  }
  return lines;
}

std::string validations(const std::vector<double>& losses, const std::string& more = "") {
  std::string lines;
  for (size_t i = 0; i < losses.size(); ++i) {
    lines += fmt::format(R"({{"kind":"valid","step":{},"epoch":{},"loss":{}{}}})", 50 * (i + 1),
                         static_cast<double>(i + 1), losses[i], more);
    lines += '\n';
  }
  return lines;
}

// The names of the faults, with a space after each.
std::string faults(const std::string& metrics, RunFacts facts) {
  const TemporaryRun run;
  if (facts.metric.name.empty()) {
    facts.metric = *find_metric(metrics_of(TaskKind::translation), "loss");
  }
  std::string names;
  for (const Finding& finding : findings(run.run(metrics), facts)) names += finding.fault + ' ';
  return names;
}

double learns(double done) { return 8 - 5 * done; }
double stands(double) { return 6.6; }
double rises(double done) { return done < 0.5 ? 7 - 4 * done : 5 + 2 * (done - 0.5); }
double falls_slowly(double done) { return 8 - 0.4 * done; }

}  // namespace

TEST_CASE("a rate far above the usual one is named if the loss rises or stands") {
  const RunFacts high{.peak_rate = 0.03, .usual_rate = 0.003, .done = 0.5};
  CHECK(faults(training(stands), high) == "learning rate too high ");
  CHECK(faults(training(rises), high) == "learning rate too high ");
  CHECK(faults(training(learns), high).empty());
  const RunFacts usual{.peak_rate = 0.003, .usual_rate = 0.003, .done = 0.5};
  CHECK(faults(training(stands), usual).empty());
  const RunFacts unknown{.peak_rate = 0.03, .done = 0.5};
  CHECK(faults(training(stands), unknown).empty());
}

TEST_CASE("a rate far below the usual one is named if the loss still falls slowly") {
  RunFacts low{.peak_rate = 1e-5, .usual_rate = 0.003, .done = 0.6};
  CHECK(faults(training(falls_slowly), low) == "learning rate too low ");
  CHECK(faults(training(learns), low).empty());
  low.done = 0.4;
  CHECK(faults(training(falls_slowly), low).empty());
  const RunFacts usual{.peak_rate = 0.001, .usual_rate = 0.003, .done = 0.6};
  CHECK(faults(training(falls_slowly), usual).empty());
}

TEST_CASE("clipping is named if it shortens nearly every gradient to less than a fifth") {
  const RunFacts clips{.clip_norm = 0.1};
  CHECK(faults(training(learns, 0.6), clips) == "clipping ");
  CHECK(faults(training(learns, 0.4), clips).empty());
  CHECK(faults(training(learns, 0.6), {}).empty());
}

TEST_CASE("over-fitting is named three validations after the lowest loss") {
  const std::string train = training(learns);
  CHECK(faults(train + validations({3, 2, 2.1, 2.2, 2.3}), {}) == "over-fitting ");
  CHECK(faults(train + validations({3, 2, 2.1, 2.2}), {}).empty());
  CHECK(faults(train + validations({3, 2, 2.01, 2.02, 2.03}), {}).empty());
  CHECK(faults(training(stands) + validations({3, 2, 2.1, 2.2, 2.3}), {}).empty());
}

TEST_CASE("a run whose own metric still gains is not over-fitted") {
  std::string rising;
  for (int i = 1; i <= 5; ++i) {
    rising += fmt::format(R"({{"kind":"valid","step":{},"epoch":{},"loss":{},"bleu":{}}})", 50 * i,
                          i, 2 + 0.1 * i, 30 + i);
    rising += '\n';
  }
  RunFacts facts;
  facts.metric = *find_metric(metrics_of(TaskKind::translation), "bleu");
  CHECK(faults(training(learns) + rising, facts).empty());
  CHECK(faults(training(learns) + validations({3, 2, 2.1, 2.2, 2.3}, R"(,"bleu":30)"), facts)
            .empty());
  facts.metric = *find_metric(metrics_of(TaskKind::translation), "loss");
  CHECK(faults(training(learns) + rising, facts) == "over-fitting ");
}

TEST_CASE("late translations that repeat or copy are named, early ones are not") {
  const std::string bad = validations({3, 2}, R"(,"copied":0.5,"repeated":0.25)");
  CHECK(faults(bad, {.done = 0.8}) == "repeating copying ");
  CHECK(faults(bad, {.done = 0.5}).empty());
  CHECK(faults(validations({3, 2}, R"(,"copied":0.1,"repeated":0.1)"), {.done = 0.8}).empty());
}

TEST_CASE("few records and values that are not numbers have no finding") {
  const RunFacts facts{.peak_rate = 0.03, .usual_rate = 0.003, .clip_norm = 0.1, .done = 0.9};
  CHECK(faults(R"({"kind":"train","step":1,"loss":6.6,"grad_norm":9})", facts).empty());
  CHECK(faults(R"({"kind":"valid","step":1,"loss":"x"})", facts).empty());
  std::string gaps = training(stands);
  gaps += R"({"kind":"train","step":900,"lr":0.1})";
  CHECK(faults(gaps, facts).find("too high") == std::string::npos);
}

TEST_CASE("a finding in the log is reported") {
  const TemporaryRun run;
  const ReportRun read =
      run.run(training(learns) + R"({"kind":"finding","step":30,"fault":"clipping","text":"x"})"
                                 "\n");
  REQUIRE(read.events.size() == 1);
  CHECK(read.events[0].text == "x");
  CHECK(is_reported(read, {"clipping", ""}));
  CHECK_FALSE(is_reported(read, {"copying", ""}));
}
