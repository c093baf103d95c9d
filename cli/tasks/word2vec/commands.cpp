// What evaluate and data check do with runs of task: word2vec.
#include <fmt/format.h>

#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/text/corpora.h"
#include "train/tasks/word2vec/evaluation.h"
#include "train/tasks/word2vec/neighbours.h"
#include "train/tasks/word2vec/run.h"

namespace calque {

void add_neighbours_command(CLI::App& calque);  // neighbours.cpp
void add_vectors_command(CLI::App& calque);     // vectors.cpp
namespace {

void evaluate_word2vec(const EvaluateArguments& arguments,
                       const std::vector<CorpusOfSplit>& corpora) {
  if (!arguments.output.empty()) {
    fail("--output: word2vec has no result for each line; calque vectors writes the vectors");
  }
  const Word2VecRun run = open_word2vec_run(arguments.runs.front());
  fmt::print("{}, step {}\n", run.checkpoint, run.step);
  const WordSpace space(run.model().vectors, run.tokenizer);
  for (const Sample& sample : neighbour_samples(space, arguments.samples)) {
    fmt::print("  {}\n  > {}\n\n", sample.input, sample.output);
  }
  for (const auto& [corpus, split] : corpora) {
    const Dataset texts = load_texts(run.config.data, {corpus}, split, run.tokenizer);
    const LossSums sums = evaluate_word2vec(run.model(), texts, run.config, run.tokenizer);
    const MeanLoss mean = mean_of(sums);
    fmt::print("{}: {} documents, {} predictions\n  loss {:.4f}  accuracy {:.2f}%\n",
               corpus_name(corpus), texts.examples(), sums.terms, mean.loss, 100 * mean.accuracy);
  }
}

}  // namespace

extern const TaskCommands word2vec_commands;
const TaskCommands word2vec_commands = {
    .task = TaskKind::word2vec,
    .files_to_evaluate = "--text",
    .check_data = check_texts,
    .evaluate = evaluate_word2vec,
    .add_commands =
        [](CLI::App& calque) {
          add_neighbours_command(calque);
          add_vectors_command(calque);
        },
};

}  // namespace calque
