#pragma once
// task: word2vec. Word vectors are trained to predict neighbouring words of plain text.

#include <memory>
#include <span>
#include <vector>

#include "train/config/checks/check.h"
#include "train/task.h"

namespace calque {

std::unique_ptr<Task> make_word2vec_task(const Config& config, const RunFolder& run,
                                         const TaskStart& start);
std::span<const MetricInfo> word2vec_metrics();
std::vector<Contradiction> word2vec_contradictions(const Config& config);

}  // namespace calque
