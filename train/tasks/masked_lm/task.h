#pragma once
// task: masked-lm. An encoder is trained to predict masked tokens of plain text (BERT).

#include "train/tasks/descriptor.h"

namespace calque {

extern const TaskDescriptor masked_lm_task;

}  // namespace calque
