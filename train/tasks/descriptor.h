#pragma once
// What a task defines in its own folder. registry.cpp lists the descriptors; an absent function
// means that the task does not support it.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "train/config/checks/contradiction.h"
#include "train/task.h"

namespace calque {

struct RunPlace;
struct SentenceEncoder;

struct TaskDescriptor {
  TaskKind kind;
  std::unique_ptr<Task> (*make)(const Config& config, const RunFolder& run, const TaskStart& start);
  std::span<const MetricInfo> (*metrics)();
  // The settings that the task does not support.
  std::vector<Contradiction> (*contradictions)(const Config& config) = nullptr;
  SentenceEncoder (*open_encoder)(const RunPlace& place) = nullptr;  // for sentence embeddings
};

template <class SomeTask>
std::unique_ptr<Task> make_task_of(const Config& config, const RunFolder& run,
                                   const TaskStart& start) {
  return std::make_unique<SomeTask>(config, run, start);
}

}  // namespace calque
