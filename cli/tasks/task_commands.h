#pragma once
// What commands do with a run of each task. A new task adds a file to this folder, with its
// TaskCommands, and an entry in task_commands.cpp.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/decoding_arguments.h"
#include "decode/explanation.h"
#include "train/config/config.h"

namespace calque {

struct EvaluateArguments {
  std::vector<std::string> runs;
  std::string split = "test", source, target, text, labelled, images, tokenize, output;
  DecodingArguments decoding;
  int64_t samples = 0;
  bool by_length = false;
};

struct ScoreArguments {
  std::string run, source, target, text;
};

// A line of `calque score`: the log-probability, the log-probability per token and the number of
// tokens, separated by tabs.
std::string score_line(double log_probability, int64_t tokens);

// The `score` of classifiers of texts and images: throws Error, because a classifier gives no
// probability to a text.
void refuse_to_score_classes(const ScoreArguments& arguments);

struct ExplainArguments {
  std::string run, text;
  DecodingArguments decoding;
};

struct CorpusOfSplit {
  CorpusConfig corpus;
  CorpusConfig::Split split;
};

struct TaskCommands {
  TaskKind task;
  void (*check_data)(const Config& config);
  void (*evaluate)(const EvaluateArguments&, const std::vector<CorpusOfSplit>&);
  void (*score)(const ScoreArguments&);
  Explanation (*explain)(const ExplainArguments&);
  const char* files_to_evaluate;  // the options that name the files
};

extern const TaskCommands translation_commands, language_model_commands, masked_lm_commands,
    classification_commands, images_commands, word2vec_commands;

// Returns the class probabilities of an image file and the attention to its patches, as a page or
// as JSON.
std::string explain_image(const ExplainArguments& arguments, bool json);

// The `check_data` of the tasks that read plain text.
void check_texts(const Config& config);

const TaskCommands& commands_of(TaskKind task);
const TaskCommands& commands_for(const std::string& run);

// Throws Error unless the run is of one of these tasks. `user` names the command or the option
// that needs it, such as "calque translate".
void require_task(const std::string& user, const std::string& run,
                  const std::vector<TaskKind>& tasks);
inline void require_task(const std::string& user, const std::string& run, TaskKind task) {
  require_task(user, run, std::vector{task});
}

// Records which options of a command are only for runs of certain tasks.
class TaskOptions {
 public:
  CLI::Option* add(TaskKind task, CLI::Option* option) { return add(std::vector{task}, option); }
  CLI::Option* add(const std::vector<TaskKind>& tasks, CLI::Option* option);
  // Throws Error for an option that was given and is not for the run's task.
  void check(const std::string& run) const;

 private:
  std::vector<std::pair<std::vector<TaskKind>, const CLI::Option*>> options_;
};

// Throws if there are several runs: only translators form an ensemble.
void require_one_run(const std::vector<std::string>& runs);

}  // namespace calque
