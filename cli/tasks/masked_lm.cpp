// Runs of task: masked-lm in the commands that take every task.
#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/language_model/texts.h"
#include "train/tasks/masked_lm/masked_evaluation.h"
#include "train/tasks/masked_lm/masked_lm_run.h"

namespace calque {
namespace {

void evaluate(const EvaluateArguments& arguments, const std::vector<CorpusOfSplit>& corpora) {
  if (arguments.runs.size() > 1) {
    wrong_command_line("several runs: only translators are evaluated together; give one run");
  }
  if (!arguments.output.empty()) fail("--output: a masked language model has no output to write");
  const MaskedLmRun run = open_masked_lm_run(arguments.runs.front());
  fmt::print("{}, step {}\n", run.checkpoint, run.step);
  for (const auto& [corpus, split] : corpora) {
    const Dataset texts = load_texts(run.config.data, {corpus}, split, run.tokenizer);
    for (const Sample& sample :
         masked_samples(run.model(), texts, run.config, run.tokenizer, arguments.samples)) {
      fmt::print("  {}\n  > {}\n\n", sample.input, sample.output);
    }
    const MaskedEvaluation found = evaluate_masked(run.model(), texts, run.config, run.tokenizer);
    const MeanLoss mean = mean_of(found.sums);
    fmt::print(
        "{}: {} documents, {} masked tokens\n  loss {:.4f}  perplexity {:.3f}  accuracy "
        "{:.2f}%\n",
        corpus_name(corpus), texts.examples(), found.sums.terms, mean.loss, mean.perplexity,
        100 * mean.accuracy);
  }
}

void score(const ScoreArguments& arguments) {
  fail("{}: a masked language model gives no probability to texts", arguments.run);
}

Explanation explain(const ExplainArguments& arguments) {
  fail("{}: calque explain does not show masked language models", arguments.run);
}

}  // namespace

const TaskCommands masked_lm_commands = {
    .task = TaskKind::masked_lm,
    .check_data = check_texts,
    .evaluate = evaluate,
    .score = score,
    .explain = explain,
    .files_to_evaluate = "data.test in the config",
};

}  // namespace calque
