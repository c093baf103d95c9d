#pragma once
// The name of a metric, which direction is better and how its values are printed. A task declares a
// list of these for log lines, the report and the plots; training.metric must be one of them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace calque {

enum class ValueFormat { number, percent, short_scale };  // 0.0123; 97.1%; 1.2k, 3.4M
enum class Better { lower, higher, neither };

struct MetricInfo {
  std::string name;     // in training.metric: "perplexity"
  std::string column;   // in metrics.jsonl: "ppl"
  std::string label;    // in a line of the log: "ppl"; empty: not in the log
  std::string title;    // of its panel in the report
  std::string unit;     // "per token", "0 to 100"
  std::string meaning;  // one sentence of explanation
  ValueFormat format = ValueFormat::number;
  int decimals = 4;  // in a line of the log
  Better better = Better::lower;
  bool logarithmic = false;  // its panel starts with a logarithmic axis
  // The terminal plot draws the loss and the last metric with this flag that any run has measured.
  bool headline = false;
};

// The metric of that name, or null.
inline const MetricInfo* find_metric(std::span<const MetricInfo> metrics, std::string_view name) {
  for (const MetricInfo& metric : metrics) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

// Requires a metric with a better direction.
inline bool is_better(double a, double b, Better better) {
  require(better != Better::neither, "is_better: neither of two values is better");
  return better == Better::lower ? a < b : a > b;
}

}  // namespace calque
