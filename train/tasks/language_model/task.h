#pragma once
// task: language-model. A decoder-only Transformer on plain text.

#include <memory>
#include <span>
#include <vector>

#include "train/config/checks/check.h"
#include "train/task.h"

namespace calque {

std::unique_ptr<Task> make_language_model_task(const Config& config, const RunFolder& run,
                                               const TaskStart& start);
std::span<const MetricInfo> language_model_metrics();
std::vector<Contradiction> language_model_contradictions(const Config& config);

}  // namespace calque
