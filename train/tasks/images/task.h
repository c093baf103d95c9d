#pragma once
// task: images. A Vision Transformer is trained to name the class of an image.

#include "train/tasks/descriptor.h"

namespace calque {

extern const TaskDescriptor images_task;

}  // namespace calque
