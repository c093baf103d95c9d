#pragma once
// task: language-model. A decoder-only Transformer on plain text.

#include "train/tasks/descriptor.h"

namespace calque {

extern const TaskDescriptor language_model_task;

}  // namespace calque
