#pragma once
// task: translation. An encoder-decoder model on pairs of lines.

#include "train/tasks/descriptor.h"

namespace calque {

extern const TaskDescriptor translation_task;

}  // namespace calque
