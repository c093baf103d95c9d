#pragma once
// What is wrong with a run, as far as its curves show it: a learning rate that is too high or too
// low, clipping, over-fitting, and translations that repeat themselves or copy the source. A run
// logs each finding once, as a record of metrics.jsonl.

#include <string>
#include <vector>

#include "train/report/run_metrics.h"

namespace calque {

// What the curves are compared with.
struct RunFacts {
  double peak_rate = 0;    // the highest learning rate of the schedule
  double usual_rate = 0;   // one that suits the model (train/config/presets.h); 0: unknown
  double clip_norm = 0;    // 0: no clipping
  double done = 0;         // the share of the run
  MetricInfo metric = {};  // training.metric
};

struct Finding {
  std::string fault;  // "over-fitting"
  std::string text;   // what is seen, and what helps
};

std::vector<Finding> findings(const ReportRun& run, const RunFacts& facts);

// Whether the run has logged a finding of this fault.
bool is_reported(const ReportRun& run, const Finding& finding);

}  // namespace calque
