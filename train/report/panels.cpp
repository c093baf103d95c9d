// The table of known panels.
#include "train/report/panels.h"

#include <set>

namespace calque {
namespace {

const std::vector<Panel>& known_panels() {
  using enum ValueFormat;
  static const std::vector<Panel> panels = {
      {"loss", "Loss", "per target token", "What training minimises: label-smoothed cross-entropy.",
       number, Better::lower},
      {"ppl", "Perplexity", "", "Between how many words the model hesitates, on average.", number,
       Better::lower, true},
      {"accuracy", "Token accuracy", "", "How often the likeliest next token is the right one.",
       percent, Better::higher},
      {"bleu", "BLEU", "0 to 100", "Overlap with the references in one to four words.", number,
       Better::higher},
      {"chrf", "chrF", "0 to 100", "Overlap with the references in runs of characters.", number,
       Better::higher},
      {"ter", "TER", "", "Edits that turn a translation into its reference.", number,
       Better::lower},
      {"exact", "Exact translations", "", "How many translations equal their reference.", percent,
       Better::higher},
      {"lr", "Learning rate", "", "The size of a step: warm-up first, then decay.", number,
       Better::neither, false, false},
      {"grad_norm", "Gradient norm", "before clipping", "Spikes show where training was rough.",
       number, Better::neither},
      {"tokens_per_s", "Speed", "tokens / s", "Source and target tokens trained on in a second.",
       short_scale, Better::neither},
      {"memory_mb", "Memory", "MB", "The most that tensors have held at once.", short_scale,
       Better::neither, false, false},
      {"sgemm_share", "Share of sgemm rate", "",
       "Of the machine's own rate of float32 matrix products.", percent, Better::neither},
      {"wait_share", "Waiting for data", "", "Share of the time spent waiting for a batch.",
       percent, Better::neither},
  };
  return panels;
}

// Drawn elsewhere under another name: perplexity is e to the nll.
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
  for (const Panel& panel : known_panels()) {
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
  switch (axis) {
    case CurveAxis::epoch:
      return table.epoch;
    case CurveAxis::tokens:
      return table.tokens;
    case CurveAxis::seconds:
      return table.seconds;
    case CurveAxis::step:
      break;
  }
  return table.step;
}

std::string axis_title(CurveAxis axis) {
  switch (axis) {
    case CurveAxis::epoch:
      return "epoch";
    case CurveAxis::tokens:
      return "target tokens";
    case CurveAxis::seconds:
      return "time trained";
    case CurveAxis::step:
      break;
  }
  return "step";
}

}  // namespace calque
