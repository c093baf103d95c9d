// What evaluate and data check do with runs of task: masked-lm.
#include <fmt/format.h>

#include <limits>

#include "cli/result_file.h"
#include "cli/tasks/task_commands.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/masked_lm/evaluation.h"
#include "train/tasks/masked_lm/run.h"
#include "train/tasks/text/corpora.h"

namespace calque {

void add_fill_command(CLI::App& calque);  // fill.cpp
namespace {

constexpr int64_t every_window = std::numeric_limits<int64_t>::max();

// Returns a line with a window three times, separated by tabs: with [MASK], original, and filled.
std::string output_line(const Sample& sample) {
  std::string line;
  for (const std::string* text : {&sample.input, &sample.reference, &sample.output}) {
    if (!line.empty()) line += '\t';
    for (const char c : *text) line += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  }
  return line + '\n';
}

void evaluate_masked_lm(const EvaluateArguments& arguments,
                        const std::vector<CorpusOfSplit>& corpora) {
  const MaskedLmRun run = open_masked_lm_run(arguments.run());
  fmt::print("{}, step {}\n", run.checkpoint, run.step);
  std::string filled;
  for (const auto& [corpus, split] : corpora) {
    const Dataset texts = load_texts(run.config.data, {corpus}, split, run.tokenizer);
    for (const Sample& sample :
         masked_samples(run.model(), texts, run.config, run.tokenizer, arguments.samples)) {
      fmt::print("  {}\n  > {}\n\n", sample.input, sample.output);
    }
    const MaskedEvaluation found = evaluate_masked(run.model(), texts, run.config, run.tokenizer);
    const MeanLoss mean = mean_of(found.sums);
    fmt::print(
        "{}: {} documents, {} predicted tokens\n  loss {:.4f}  perplexity {:.3f}  accuracy {:.2f}% "
        " "
        "of those replaced by [MASK] {:.2f}%\n",
        corpus_name(corpus), texts.examples(), found.sums.terms, mean.loss, mean.perplexity,
        100 * mean.accuracy, 100 * mean_of(found.behind_mask).accuracy);
    if (arguments.output.empty()) continue;
    for (const Sample& window :
         masked_samples(run.model(), texts, run.config, run.tokenizer, every_window)) {
      filled += output_line(window);
    }
  }
  if (!arguments.output.empty()) write_result(arguments.output, filled);
}

}  // namespace

extern const TaskCommands masked_lm_commands;
const TaskCommands masked_lm_commands = {
    .task = TaskKind::masked_lm,
    .files_to_evaluate = "--text",
    .check_data = check_texts,
    .evaluate = evaluate_masked_lm,
    .add_commands = add_fill_command,
};

}  // namespace calque
