#pragma once
// Which curves share a pair of axes, in what order, and how their values are written: the one place
// that the page, the figure, the CSV and the terminal plot all ask.

#include <span>
#include <string>
#include <vector>

#include "train/report/run_metrics.h"

namespace calque {

enum class CurveSource { train, valid };
struct Panel {
  std::string column;  // of the tables of training and validation alike
  std::string title;
  std::string unit;
  std::string meaning;  // a sentence for people who learn
  ValueFormat format = ValueFormat::number;
  Better better = Better::neither;
  bool logarithmic = false;  // drawn so at first: what matters of it spans decades
  bool noisy = true;         // worth smoothing
};

// The panels that at least one run has values for: the metrics of the runs' tasks, then what the
// trainer records, then one for every other number that was found in the records.
std::vector<Panel> panels_of(std::span<const ReportRun> runs);

const MetricsTable& table_of(const ReportRun& run, CurveSource source);

// What curves are drawn over.
enum class CurveAxis { step, epoch, tokens, seconds };
const std::vector<double>& clock_of(const MetricsTable& table, CurveAxis axis);
std::string axis_title(CurveAxis axis);

}  // namespace calque
