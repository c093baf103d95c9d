// Each function looks for one fault and returns what it has seen, or an empty text. The limits are
// wide: a healthy run must have no finding.
#include "train/report/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace calque {
namespace {

using Column = std::vector<double>;

constexpr size_t windows = 8;  // of the training records

// The means of the training losses in windows of equal length; empty if there are too few records.
Column smooth_losses(const ReportRun& run) {
  const Column* const loss = run.train.find("loss");
  if (loss == nullptr || loss->size() < 2 * windows) return {};
  Column means;
  for (size_t w = 0; w < windows; ++w) {
    const auto begin = loss->begin() + static_cast<std::ptrdiff_t>(w * loss->size() / windows);
    const auto end = loss->begin() + static_cast<std::ptrdiff_t>((w + 1) * loss->size() / windows);
    means.push_back(std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin));
  }
  return std::ranges::all_of(means, [](double m) { return std::isfinite(m); }) ? means : Column();
}

std::string rates_text(const RunFacts& facts) {
  return fmt::format("the highest is {:.3g}, and {:.3g} suits this model", facts.peak_rate,
                     facts.usual_rate);
}

// A model that learns nothing is left with the loss of word frequencies, which is near the first
// losses.
std::string too_high_rate(const ReportRun& run, const RunFacts& facts) {
  const Column loss = smooth_losses(run);
  if (loss.empty() || facts.usual_rate == 0 || facts.peak_rate < 2 * facts.usual_rate) return "";
  const double lowest = std::ranges::min(loss), last = loss.back();
  std::string seen;
  if (last > 1.1 * lowest && last > lowest + 0.3) {
    seen = fmt::format("the training loss has risen from {:.2f} to {:.2f}", lowest, last);
  } else if (last > 0.8 * loss.front() && last > 0.98 * loss[windows / 2]) {
    seen = fmt::format("the training loss stands at {:.2f}", last);
  } else {
    return "";
  }
  return fmt::format("the learning rate is too high: {}; {}; lower training.learning_rate", seen,
                     rates_text(facts));
}

std::string too_low_rate(const ReportRun& run, const RunFacts& facts) {
  const Column loss = smooth_losses(run);
  if (loss.empty() || facts.done < 0.5 || 5 * facts.peak_rate > facts.usual_rate) return "";
  const double last = loss.back();
  if (last < 0.6 * loss.front() || last > 0.995 * loss[windows / 2]) return "";
  return fmt::format(
      "the learning rate is too low: after {:.0f}% of the run the training loss is {:.2f} and "
      "still falls slowly; {}; raise training.learning_rate, or leave it out",
      100 * facts.done, last, rates_text(facts));
}

std::string clipping(const ReportRun& run, const RunFacts& facts) {
  const Column* const norm = run.train.find("grad_norm");
  if (norm == nullptr || norm->size() < 2 * windows || facts.clip_norm == 0) return "";
  Column later(norm->begin() + static_cast<std::ptrdiff_t>(norm->size() / 2), norm->end());
  std::ranges::sort(later);
  const double least = later[later.size() / 10];
  if (!(least > 5 * facts.clip_norm)) return "";
  return fmt::format(
      "training.clip_norm: {:.3g} shortens nearly every gradient to less than a fifth (their norm "
      "is {:.3g} in the middle); raise it",
      facts.clip_norm, later[later.size() / 2]);
}

// The last row in which the column has its best value.
std::optional<size_t> best_row(const Column* column, Better better) {
  if (column == nullptr || better == Better::neither) return {};
  std::optional<size_t> best;
  for (size_t row = 0; row < column->size(); ++row) {
    if (!std::isfinite((*column)[row])) continue;
    if (!best || !is_better((*column)[*best], (*column)[row], better)) best = row;
  }
  return best;
}

// The mean training loss of the quarter of the records before `step`.
double training_loss_before(const ReportRun& run, double step) {
  const Column* const loss = run.train.find("loss");
  const auto end = std::ranges::upper_bound(run.train.step, step) - run.train.step.begin();
  if (loss == nullptr || end == 0) return 0;
  const auto count = std::max<std::ptrdiff_t>(1, end / 4);
  return std::accumulate(loss->begin() + (end - count), loss->begin() + end, 0.0) /
         static_cast<double>(count);
}

// A run whose own metric still gains is not over-fitted, even if its validation loss rises.
std::string over_fitting(const ReportRun& run, const RunFacts& facts) {
  constexpr size_t later = 3;  // validations after the best
  const Column* const loss = run.valid.find("loss");
  const std::optional<size_t> lowest = best_row(loss, Better::lower);
  if (!lowest || *lowest + later >= loss->size()) return "";
  const std::optional<size_t> best =
      best_row(run.valid.find(facts.metric.column), facts.metric.better);
  if (best && *best + later >= loss->size()) return "";
  const double least = (*loss)[*lowest], last = loss->back();
  const double step = run.valid.step[*lowest], now = run.valid.step.back();
  if (!(last > 1.05 * least)) return "";
  if (!(training_loss_before(run, now) < training_loss_before(run, step))) return "";
  return fmt::format(
      "over-fitting since step {:.0f} (epoch {:.1f}): the validation loss has risen from {:.2f} to "
      "{:.2f} while the training loss falls; more data, a higher model.dropout or a smaller model "
      "help, and training.patience stops such a run",
      step, run.valid.epoch[*lowest], least, last);
}

// The share of the last translations with a fault, in percent; 0 if they are few. Early
// translations often repeat themselves or copy words, so only the later ones count.
double percent_of_translations(const ReportRun& run, const RunFacts& facts, const char* column) {
  const Column* const share = run.valid.find(column);
  if (share == nullptr || facts.done < 0.7 || !(share->back() >= 0.2)) return 0;
  return 100 * share->back();
}

std::string repeating(const ReportRun& run, const RunFacts& facts) {
  const double percent = percent_of_translations(run, facts, "repeated");
  if (percent == 0) return "";
  return fmt::format(
      "{:.0f}% of the validation translations repeat a phrase again and again; train longer, and "
      "decoding.no_repeat_ngram: 3 forbids it",
      percent);
}

std::string copying(const ReportRun& run, const RunFacts& facts) {
  const double percent = percent_of_translations(run, facts, "copied");
  if (percent == 0) return "";
  return fmt::format(
      "{:.0f}% of the validation translations copy their source; the training data may have pairs "
      "that are not translated: calque data clean drops them",
      percent);
}

}  // namespace

std::vector<Finding> findings(const ReportRun& run, const RunFacts& facts) {
  struct Fault {
    const char* name;
    std::string (*seen)(const ReportRun&, const RunFacts&);
  };
  constexpr Fault faults[] = {
      {"learning rate too high", too_high_rate},
      {"learning rate too low", too_low_rate},
      {"clipping", clipping},
      {"over-fitting", over_fitting},
      {"repeating", repeating},
      {"copying", copying},
  };
  std::vector<Finding> all;
  for (const Fault& fault : faults) {
    std::string text = fault.seen(run, facts);
    if (!text.empty()) all.push_back({fault.name, std::move(text)});
  }
  return all;
}

bool is_reported(const ReportRun& run, const Finding& finding) {
  return std::ranges::count(run.events, finding.fault, &RunEvent::fault) > 0;
}

}  // namespace calque
