#pragma once
// task: classification. An encoder is trained to name the class of a text or of a pair of texts.

#include <memory>
#include <span>
#include <vector>

#include "train/config/checks/check.h"
#include "train/task.h"

namespace calque {

std::unique_ptr<Task> make_classification_task(const Config& config, const RunFolder& run,
                                               const TaskStart& start);
std::span<const MetricInfo> classification_metrics();
std::vector<Contradiction> classification_contradictions(const Config& config);

}  // namespace calque
