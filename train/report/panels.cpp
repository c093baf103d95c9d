// The table of known panels.
#include "train/report/panels.h"

#include <set>

namespace calque {
namespace {

const std::vector<Panel>& known_panels() {
  using enum ValueFormat;
  static const std::vector<Panel> panels = {
      {"loss", "Loss", "per target token",
       "The label-smoothed cross-entropy that training minimises.", number, Better::lower},
      {"ppl", "Perplexity", "",
       "How many words the model hesitates between, on average: e to the power of the loss without "
       "smoothing.",
       number, Better::lower},
      {"accuracy", "Token accuracy", "",
       "How often the likeliest next token is the right one, given the right ones before it.",
       percent, Better::higher},
      {"bleu", "BLEU", "",
       "Overlap of the translations with the references in runs of one to four words, 0 to 100.",
       number, Better::higher},
      {"chrf", "chrF", "",
       "Overlap of the translations with the references in runs of characters, 0 to 100.", number,
       Better::higher},
      {"ter", "TER", "", "Edits needed to turn a translation into its reference.", number,
       Better::lower},
      {"exact", "Exact translations", "", "How many translations equal their reference.", percent,
       Better::higher},
      {"lr", "Learning rate", "", "The size of a step: warm-up first, then decay.", number,
       Better::neither},
      {"grad_norm", "Gradient norm", "before clipping",
       "The length of the gradient; spikes show where training was rough.", number,
       Better::neither},
      {"tokens_per_s", "Speed", "target tokens / s", "Target tokens trained on in a second.",
       short_scale, Better::neither},
      {"memory_mb", "Memory", "MB", "Memory held by the process.", short_scale, Better::neither},
      {"sgemm_share", "Share of sgemm rate", "",
       "How much of the machine's own matrix-product rate training reaches.", percent,
       Better::neither},
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
