#pragma once
// Panels: the curves that share a pair of axes, their order and the format of their values, for the
// page, the figure and the terminal plot.

#include <span>
#include <string>
#include <vector>

#include "core/named.h"
#include "train/report/run_metrics.h"

namespace calque {

enum class CurveSource { train, valid };
struct Panel {
  std::string column;  // the name in MetricsTable::columns
  std::string title;
  std::string unit;
  std::string meaning;  // one sentence of explanation
  ValueFormat format = ValueFormat::number;
  Better better = Better::neither;
  bool logarithmic = false;  // by default
  bool noisy = true;         // whether smoothing helps
};

// The panels with values in at least one run: the metrics of the runs' tasks, then the trainer's
// numbers, then every other number in the records. The nll is left out if every run has perplexity.
std::vector<Panel> panels_of(std::span<const ReportRun> runs);

const MetricsTable& table_of(const ReportRun& run, CurveSource source);

// The x axis.
enum class CurveAxis { step, epoch, tokens, seconds };
inline constexpr Named<CurveAxis> curve_axes[] = {{"step", CurveAxis::step},
                                                  {"epoch", CurveAxis::epoch},
                                                  {"tokens", CurveAxis::tokens},
                                                  {"time", CurveAxis::seconds}};
const std::vector<double>& clock_of(const MetricsTable& table, CurveAxis axis);
std::string axis_title(CurveAxis axis);

}  // namespace calque
