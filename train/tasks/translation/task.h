#pragma once
// task: translation. An encoder-decoder model on pairs of lines.

#include <memory>
#include <span>
#include <vector>

#include "train/config/checks/check.h"
#include "train/task.h"

namespace calque {

std::unique_ptr<Task> make_translation_task(const Config& config, const RunFolder& run,
                                            const TaskStart& start);
std::span<const MetricInfo> translation_metrics();
std::vector<Contradiction> translation_contradictions(const Config& config);

}  // namespace calque
