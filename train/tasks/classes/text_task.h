#pragma once
// The tasks whose model is a text encoder that names classes.

#include <memory>

#include "train/tasks/classes/text_data.h"

namespace calque {

std::unique_ptr<Task> make_text_task(const TextClasses& classes, const Config& config,
                                     const RunFolder& run, const TaskStart& start);

// For TaskDescriptor::make.
template <const TextClasses& classes>
std::unique_ptr<Task> make_text_task_of(const Config& config, const RunFolder& run,
                                        const TaskStart& start) {
  return make_text_task(classes, config, run, start);
}

}  // namespace calque
