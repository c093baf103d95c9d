#pragma once
// Every task that a config can name. A new task adds its descriptor to the list in registry.cpp.

#include <string>
#include <vector>

#include "train/config/load.h"
#include "train/report/run_config.h"
#include "train/task.h"
#include "train/tasks/descriptor.h"

namespace calque {

const TaskDescriptor& descriptor_of(TaskKind task);
// The tasks whose runs embed sentences.
std::vector<TaskKind> tasks_that_embed();

// Makes the config's task.
std::unique_ptr<Task> make_task(const Config& config, const RunFolder& run, const TaskStart& start);

// The metrics of a task, given by its kind or by `task:` in a config (translation if absent or
// unknown).
std::span<const MetricInfo> metrics_of(TaskKind task);
std::span<const MetricInfo> metrics_of(const FlatConfig& config);
// The metrics of all tasks, each name once.
std::vector<MetricInfo> all_metrics();

// The settings that the config's task does not support, such as an unknown training.metric.
std::vector<Contradiction> task_contradictions(const Config& config);

// load_config() that also checks task_contradictions().
LoadedConfig load_task_config(const std::string& path,
                              const std::vector<std::string>& settings = {});
// The same for a text, which messages call `name`.
LoadedConfig parse_task_config(std::string_view text, const std::string& name,
                               const std::vector<std::string>& settings = {});

}  // namespace calque
