#include "cli/tasks/task_commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "train/trained_run.h"

namespace calque {
namespace {

const TaskCommands* const all_commands[] = {&translation_commands, &language_model_commands,
                                            &masked_lm_commands, &classification_commands};

}  // namespace

std::string score_line(double log_probability, int64_t tokens) {
  return fmt::format("{:.4f}\t{:.4f}\t{}\n", log_probability,
                     log_probability / static_cast<double>(tokens), tokens);
}

const TaskCommands& commands_of(TaskKind task) {
  return **std::ranges::find(all_commands, task, &TaskCommands::task);
}

const TaskCommands& commands_for(const std::string& run) {
  return commands_of(find_run(run).config.task);
}

void require_task(const std::string& user, const std::string& run, TaskKind task) {
  const TaskKind found = find_run(run).config.task;
  if (found == task) return;
  fail("{} needs a run of task: {}; {} is of task: {}", user, name_of(task_kinds, task), run,
       name_of(task_kinds, found));
}

CLI::Option* TaskOptions::add(TaskKind task, CLI::Option* option) {
  options_.emplace_back(task, option);
  return option;
}

void TaskOptions::check(const std::string& run) const {
  for (const auto& [task, option] : options_) {
    if (!option->empty()) require_task(option->get_name(), run, task);
  }
}

}  // namespace calque
