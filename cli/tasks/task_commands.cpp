#include "cli/tasks/task_commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command_line.h"
#include "core/error.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

const TaskCommands* const all_commands[] = {&translation_commands, &language_model_commands,
                                            &masked_lm_commands,   &classification_commands,
                                            &images_commands,      &word2vec_commands};

}  // namespace

std::string score_line(double log_probability, int64_t tokens) {
  return fmt::format("{:.4f}\t{:.4f}\t{}\n", log_probability,
                     log_probability / static_cast<double>(tokens), tokens);
}

void refuse_to_score_classes(const ScoreArguments& arguments) {
  fail("{}: a classifier assigns no probability to a text; calque classify prints those of classes",
       arguments.run);
}

const TaskCommands& commands_of(TaskKind task) {
  return **std::ranges::find(all_commands, task, &TaskCommands::task);
}

const TaskCommands& commands_for(const std::string& run) {
  return commands_of(find_run(run).config.task);
}

void require_task(const std::string& user, const std::string& run,
                  const std::vector<TaskKind>& tasks) {
  const TaskKind found = find_run(run).config.task;
  if (std::ranges::count(tasks, found) > 0) return;
  std::string names;
  for (const TaskKind task : tasks) {
    if (!names.empty()) names += task == tasks.back() ? " or " : ", ";
    names += name_of(task_kinds, task);
  }
  fail("{} needs a run of task: {}; {} is of task: {}", user, names, run,
       name_of(task_kinds, found));
}

CLI::Option* TaskOptions::add(const std::vector<TaskKind>& tasks, CLI::Option* option) {
  options_.emplace_back(tasks, option);
  return option;
}

void TaskOptions::check(const std::string& run) const {
  for (const auto& [tasks, option] : options_) {
    if (!option->empty()) require_task(option->get_name(), run, tasks);
  }
}

void require_one_run(const std::vector<std::string>& runs) {
  if (runs.size() == 1) return;
  wrong_command_line("several runs: only translators form an ensemble; give one run");
}

}  // namespace calque
