#pragma once
// task: classification. An encoder is trained to name the class of a text or of a pair of texts.

#include "train/tasks/descriptor.h"

namespace calque {

extern const TaskDescriptor classification_task;

// Those of a cross-entropy over classes.
std::span<const MetricInfo> classification_metrics();

}  // namespace calque
