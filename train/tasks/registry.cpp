#include "train/tasks/registry.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "train/tasks/classification/task.h"
#include "train/tasks/images/task.h"
#include "train/tasks/language_model/task.h"
#include "train/tasks/masked_lm/task.h"
#include "train/tasks/translation/task.h"
#include "train/tasks/word2vec/task.h"

namespace calque {
namespace {

struct Entry {
  TaskKind kind;
  std::unique_ptr<Task> (*make)(const Config&, const RunFolder&, const TaskStart&);
  std::span<const MetricInfo> (*metrics)();
  std::vector<Contradiction> (*contradictions)(const Config&);
};

constexpr Entry entries[] = {
    {TaskKind::translation, make_translation_task, translation_metrics, translation_contradictions},
    {TaskKind::language_model, make_language_model_task, language_model_metrics,
     language_model_contradictions},
    {TaskKind::masked_lm, make_masked_lm_task, masked_lm_metrics, masked_lm_contradictions},
    {TaskKind::classification, make_classification_task, classification_metrics,
     classification_contradictions},
    {TaskKind::images, make_images_task, classification_metrics, images_contradictions},
    {TaskKind::word2vec, make_word2vec_task, word2vec_metrics, word2vec_contradictions},
};

const Entry& entry_of(TaskKind kind) { return *std::ranges::find(entries, kind, &Entry::kind); }

}  // namespace

std::unique_ptr<Task> make_task(const Config& config, const RunFolder& run,
                                const TaskStart& start) {
  return entry_of(config.task).make(config, run, start);
}

std::span<const MetricInfo> metrics_of(TaskKind task) { return entry_of(task).metrics(); }

std::span<const MetricInfo> metrics_of(const FlatConfig& config) {
  for (const auto& [key, value] : config) {
    if (key != "task") continue;
    for (const Entry& entry : entries) {
      if (value == name_of(task_kinds, entry.kind)) return entry.metrics();
    }
  }
  return metrics_of(TaskKind::translation);
}

std::vector<MetricInfo> all_metrics() {
  std::vector<MetricInfo> all;
  for (const Entry& entry : entries) {
    for (const MetricInfo& metric : entry.metrics()) {
      if (find_metric(all, metric.name) == nullptr) all.push_back(metric);
    }
  }
  return all;
}

std::vector<Contradiction> task_contradictions(const Config& config) {
  const Entry& entry = entry_of(config.task);
  std::vector<Contradiction> all = entry.contradictions(config);
  std::vector<std::string> names;
  for (const MetricInfo& metric : entry.metrics()) names.push_back(metric.name);
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

}  // namespace calque
