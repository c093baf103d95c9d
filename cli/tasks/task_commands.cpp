#include "cli/tasks/task_commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "core/error.h"
#include "core/threads/largest_first.h"
#include "train/report/figures/attention_figure.h"
#include "train/report/figures/inspection_text.h"
#include "train/report/figures/terminal_plot.h"
#include "train/report/pages/explain_page.h"

namespace calque {
extern const TaskCommands translation_commands, language_model_commands, masked_lm_commands,
    classification_commands, images_commands, word2vec_commands, tagging_commands;

namespace {

const TaskCommands* const all_commands[] = {
    &translation_commands, &language_model_commands, &masked_lm_commands, &classification_commands,
    &images_commands,      &word2vec_commands,       &tagging_commands};

}  // namespace

void add_task_commands(CLI::App& calque) {
  for (const TaskCommands* commands : all_commands) {
    if (commands->add_commands != nullptr) commands->add_commands(calque);
  }
}

const TaskCommands& commands_of(TaskKind task) {
  return **std::ranges::find(all_commands, task, &TaskCommands::task);
}

std::string score_line(double log_probability, int64_t tokens) {
  return fmt::format("{:.4f}\t{:.4f}\t{}\n", log_probability,
                     log_probability / static_cast<double>(tokens), tokens);
}

std::string class_line(const std::vector<std::string>& labels,
                       const std::vector<double>& probabilities,
                       const ClassifyArguments& arguments) {
  std::vector<size_t> order = largest_first(probabilities);
  order.resize(std::min(order.size(), static_cast<size_t>(arguments.top)));
  std::string line;
  for (const size_t i : order) {
    line += (line.empty() ? "" : "\t") + labels[i];
    if (arguments.probabilities) line += fmt::format("\t{:.4f}", probabilities[i]);
  }
  return line + '\n';
}

std::string explanation_text(const Explanation& explanation, ExplainArguments::Form form,
                             const Inspection* inspection) {
  using enum ExplainArguments::Form;
  return form == svg        ? cross_attention_svg(explanation, {})
         : form == json     ? explanation_json(explanation, inspection)
         : form == terminal ? inspection_text(explanation, *inspection, terminal_style().width)
                            : explain_page(explanation, inspection);
}

void require_task(const std::string& user, const std::string& run,
                  const std::vector<TaskKind>& tasks) {
  const TaskKind found = find_run(run).config.task;
  if (std::ranges::count(tasks, found) > 0) return;
  fail("{} needs a run of task: {}; {} is of task: {}", user, names_of(tasks), run,
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

}  // namespace calque
