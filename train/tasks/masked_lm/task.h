#pragma once
// task: masked-lm. An encoder is trained to predict masked tokens of plain text (BERT).

#include <memory>
#include <span>
#include <vector>

#include "train/config/checks/check.h"
#include "train/task.h"

namespace calque {

std::unique_ptr<Task> make_masked_lm_task(const Config& config, const RunFolder& run,
                                          const TaskStart& start);
std::span<const MetricInfo> masked_lm_metrics();
std::vector<Contradiction> masked_lm_contradictions(const Config& config);

}  // namespace calque
