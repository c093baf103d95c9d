#include "train/tasks/registry.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace calque {

extern const TaskDescriptor translation_task, language_model_task, masked_lm_task,
    classification_task, images_task, word2vec_task, tagging_task;

namespace {

const TaskDescriptor* const descriptors[] = {
    &translation_task, &language_model_task, &masked_lm_task, &classification_task,
    &images_task,      &word2vec_task,       &tagging_task};

}  // namespace

const TaskDescriptor& descriptor_of(TaskKind task) {
  return **std::ranges::find(descriptors, task, &TaskDescriptor::kind);
}

std::vector<TaskKind> tasks_that_embed() {
  std::vector<TaskKind> tasks;
  for (const TaskDescriptor* each : descriptors) {
    if (each->open_encoder != nullptr) tasks.push_back(each->kind);
  }
  return tasks;
}

std::unique_ptr<Task> make_task(const Config& config, const RunFolder& run,
                                const TaskStart& start) {
  return descriptor_of(config.task).make(config, run, start);
}

std::span<const MetricInfo> metrics_of(TaskKind task) { return descriptor_of(task).metrics(); }

std::span<const MetricInfo> metrics_of(const FlatConfig& config) {
  const auto entry =
      std::ranges::find(config, std::string("task"), [](const auto& each) { return each.first; });
  const auto named = std::ranges::find(task_kinds, entry == config.end() ? "" : entry->second,
                                       &Named<TaskKind>::name);
  return metrics_of(named == std::end(task_kinds) ? Config().task : named->choice);
}

std::vector<MetricInfo> all_metrics() {
  std::vector<MetricInfo> all;
  for (const TaskDescriptor* task : descriptors) {
    for (const MetricInfo& metric : task->metrics()) {
      if (find_metric(all, metric.name) == nullptr) all.push_back(metric);
    }
  }
  return all;
}

std::vector<Contradiction> task_contradictions(const Config& config) {
  const TaskDescriptor& task = descriptor_of(config.task);
  std::vector<Contradiction> all;
  if (task.contradictions != nullptr) all = task.contradictions(config);
  std::vector<std::string> names;
  for (const MetricInfo& metric : task.metrics()) names.push_back(metric.name);
  const auto require_metric = [&](const char* key, const std::string& name) {
    if (std::ranges::count(names, name) > 0) return;
    all.push_back(
        {key, fmt::format("the metric must be {}, not {}", fmt::join(names, ", "), name)});
  };
  require_metric("training.metric", config.training.metric);
  const Goal& goal = config.training.until.goal;
  if (goal.metric.empty()) return all;
  require_metric("training.until", goal.metric);
  if (config.data.validation.empty() || config.training.validate_every == Interval()) {
    all.push_back(
        {"training.until", fmt::format("{} is measured by validations; set data.validation and "
                                       "training.validate_every",
                                       to_text(goal))});
  }
  return all;
}

LoadedConfig load_task_config(const std::string& path, const std::vector<std::string>& settings) {
  return load_config(path, settings, task_contradictions);
}

LoadedConfig parse_task_config(std::string_view text, const std::string& name,
                               const std::vector<std::string>& settings) {
  return parse_config(text, name, settings, task_contradictions);
}

}  // namespace calque
