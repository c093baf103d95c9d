#pragma once
// task: word2vec. Word vectors are trained to predict neighbouring words of plain text.

#include "train/tasks/descriptor.h"

namespace calque {

extern const TaskDescriptor word2vec_task;

}  // namespace calque
