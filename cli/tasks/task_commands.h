#pragma once
// What commands do with a run of each task. A new task adds a folder with its TaskCommands, and an
// entry in task_commands.cpp.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/line_streams.h"
#include "cli/tasks/split_corpora.h"
#include "decode/inspection/inspection.h"
#include "train/config/tasks.h"
#include "train/tasks/translation/decoding.h"
#include "train/weights/trained_run.h"

namespace calque {

struct EvaluateArguments {
  std::vector<std::string> runs;
  std::optional<Precision> precision;
  CorpusConfig files;  // to evaluate on instead of a split
  std::string split = "test", tokenize, glossary, output, comet;
  LanguageChoice languages;  // of `files`
  DecodingChoice decoding;
  int64_t samples = 0;
  bool by_length = false;
  bool answers = false;           // of conversations: generate them
  std::vector<std::string> stop;  // an answer ends before these

  RunPlace run() const { return {runs.front(), precision}; }
};

struct ScoreArguments {
  RunPlace run;
  std::string source, target, text;
  LanguageChoice languages;
};

// A line of `calque score`: the log-probability, the log-probability per token and the number of
// tokens, separated by tabs.
std::string score_line(double log_probability, int64_t tokens);

struct ClassifyArguments {
  RunPlace run;
  std::vector<std::string> images;
  bool probabilities = false;
  int64_t top = 1;
  InvalidLine invalid = InvalidLine::error;  // of texts
};

// A line of `calque classify`: the most probable labels, separated by tabs.
std::string class_line(const std::vector<std::string>& labels,
                       const std::vector<double>& probabilities,
                       const ClassifyArguments& arguments);

struct ExplainArguments {
  enum class Form { page, json, svg, terminal };

  RunPlace run;
  std::string text;
  LanguageChoice languages;
  DecodingChoice decoding;
  Form form = Form::page;
  // Of language models: a prompt to patch from, LAYER.HEAD, and WORD:LAYER:STRENGTH.
  std::string against;
  std::vector<std::string> without_heads, steer;
};

// An inspection comes from a language model; `terminal` needs one.
std::string explanation_text(const Explanation& explanation, ExplainArguments::Form form,
                             const Inspection* inspection = nullptr);

// An absent function means that the task does not support the command.
struct TaskCommands {
  TaskKind task;
  const char* files_to_evaluate;  // the options that name the files
  // The file or folder of the only such option, if it is for this task alone.
  std::string CorpusConfig::*path_to_evaluate = nullptr;
  const char *path_type = "", *path_meaning = "";
  void (*check_data)(const Config& config);
  void (*evaluate)(const EvaluateArguments&, const std::vector<CorpusOfSplit>&);
  void (*score)(const ScoreArguments&) = nullptr;
  std::string (*explain)(const ExplainArguments&) = nullptr;
  void (*classify)(const ClassifyArguments&) = nullptr;
  void (*add_commands)(CLI::App& calque) = nullptr;  // adds those for runs of this task alone
};

// The `check_data` of the tasks that read plain text.
void check_texts(const Config& config);

const TaskCommands& commands_of(TaskKind task);

// The tasks that have a command and a feature.
template <class Command>
std::vector<TaskKind> tasks_with(Command TaskCommands::*command, Feature feature) {
  std::vector<TaskKind> tasks = tasks_with(feature);
  std::erase_if(tasks, [=](TaskKind task) { return commands_of(task).*command == nullptr; });
  return tasks;
}

// Throws Error unless the run is of one of these tasks. `user` names the command or the option
// that needs it, such as "calque translate".
void require_task(const std::string& user, const std::string& run,
                  const std::vector<TaskKind>& tasks);

// The command of the run's task. Throws Error if the task does not support it.
template <class Command>
Command command_for(const std::string& user, const std::string& run,
                    Command TaskCommands::*command) {
  std::vector<TaskKind> tasks;
  for (const Named<TaskKind>& each : task_kinds) {
    if (commands_of(each.choice).*command != nullptr) tasks.push_back(each.choice);
  }
  require_task(user, run, tasks);
  return commands_of(find_run(run).config.task).*command;
}

// Records which options of a command are only for runs of certain tasks.
class TaskOptions {
 public:
  CLI::Option* add(const std::vector<TaskKind>& tasks, CLI::Option* option);
  CLI::Option* add(Feature feature, CLI::Option* option) {
    return add(tasks_with(feature), option);
  }
  // Throws Error for an option that was given and is not for the run's task.
  void check(const std::string& run) const;

 private:
  std::vector<std::pair<std::vector<TaskKind>, const CLI::Option*>> options_;
};

}  // namespace calque
