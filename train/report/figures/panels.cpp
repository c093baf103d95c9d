#include "train/report/figures/panels.h"

#include <array>
#include <set>
#include <utility>

namespace calque {
namespace {

// In the order of CurveAxis.
constexpr std::array<std::pair<const char*, std::vector<double> MetricsTable::*>, 4> clocks = {
    {{"step", &MetricsTable::step},
     {"epoch", &MetricsTable::epoch},
     {"tokens", &MetricsTable::tokens},
     {"time trained", &MetricsTable::seconds}}};

const std::vector<Panel>& trainer_panels() {
  using enum ValueFormat;
  static const std::vector<Panel> panels = {
      {"lr", "Learning rate", "", "The step size that the schedule sets.", number, Better::neither,
       false, false},
      {"grad_norm", "Gradient norm", "before clipping", "Spikes show unstable steps.", number,
       Better::neither},
      {"tokens_per_s", "Speed", "tokens / s", "Tokens that go through the model per second.",
       short_scale, Better::neither},
      {"memory_mb", "Memory", "MB", "The peak memory of all tensors.", short_scale, Better::neither,
       false, false},
      {"gflop_per_s", "Matrix products", "GFLOP/s",
       "Floating-point operations per second, without recomputation.", short_scale,
       Better::neither},
      {"wait_share", "Waiting for data", "", "Share of the time spent waiting for a batch.",
       percent, Better::neither},
      {"exchange_share", "Exchange", "", "Share of the time that rank 0 spends on exchanges.",
       percent, Better::neither},
      {"exchange_mb", "Exchanged", "MB / step", "Data that rank 0 sends to other ranks per step.",
       short_scale, Better::neither, false, false},
  };
  return panels;
}

Panel panel_of(const MetricInfo& metric) {
  return {metric.column, metric.title,  metric.unit,       metric.meaning,
          metric.format, metric.better, metric.logarithmic};
}

// The nll is redundant if every run has perplexity, which is exp(nll).
bool is_redundant(const std::string& column, std::span<const ReportRun> runs) {
  if (column != "nll") return false;
  for (const ReportRun& run : runs) {
    if (!run.train.find("ppl") && !run.valid.find("ppl")) return false;
  }
  return true;
}

}  // namespace

std::vector<Panel> panels_of(std::span<const ReportRun> runs) {
  std::set<std::string> found;
  for (const ReportRun& run : runs) {
    for (const MetricsTable* table : {&run.train, &run.valid}) {
      for (const auto& [name, values] : table->columns) found.insert(name);
    }
  }
  std::vector<Panel> panels;
  for (const ReportRun& run : runs) {
    for (const MetricInfo& metric : run.metrics) {
      if (is_redundant(metric.column, runs)) continue;
      if (found.erase(metric.column) > 0) panels.push_back(panel_of(metric));
    }
  }
  for (const Panel& panel : trainer_panels()) {
    if (found.erase(panel.column) > 0) panels.push_back(panel);
  }
  for (const std::string& name : found) {
    if (!is_redundant(name, runs)) panels.push_back({name, name, "", "", {}, {}});
  }
  return panels;
}

const MetricsTable& table_of(const ReportRun& run, CurveSource source) {
  return source == CurveSource::train ? run.train : run.valid;
}

const std::vector<double>& clock_of(const MetricsTable& table, CurveAxis axis) {
  return table.*clocks.at(static_cast<size_t>(axis)).second;
}

std::string axis_title(CurveAxis axis) { return clocks.at(static_cast<size_t>(axis)).first; }

}  // namespace calque
