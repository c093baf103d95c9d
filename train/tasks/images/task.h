#pragma once
// task: images. A Vision Transformer is trained to name the class of an image.

#include <memory>
#include <span>
#include <vector>

#include "train/config/checks/check.h"
#include "train/task.h"

namespace calque {

std::unique_ptr<Task> make_images_task(const Config& config, const RunFolder& run,
                                       const TaskStart& start);
std::vector<Contradiction> images_contradictions(const Config& config);

}  // namespace calque
