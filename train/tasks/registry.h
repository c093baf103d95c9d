#pragma once
// Every task that a config can name. A new task adds its entry to the table in registry.cpp.

#include <string>
#include <vector>

#include "train/config/load.h"
#include "train/report/run_config.h"
#include "train/task.h"

namespace calque {

// The config's task.
std::unique_ptr<Task> make_task(const Config& config, const RunFolder& run, const TaskStart& start);

// The metrics of one task, by its kind or by `task:` in a config, which is translation if absent.
std::span<const MetricInfo> metrics_of(TaskKind task);
std::span<const MetricInfo> metrics_of(const FlatConfig& config);
// Those of all tasks.
std::vector<MetricInfo> all_metrics();

// What the config asks of its task that the task cannot do, such as an unknown training.metric.
std::vector<Contradiction> task_contradictions(const Config& config);

// load_config() with task_contradictions().
LoadedConfig load_task_config(const std::string& path,
                              const std::vector<std::string>& settings = {});

}  // namespace calque
