// What evaluate, score, explain and data check do with runs of task: classification.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/result_file.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "train/report/records.h"
#include "train/tasks/classification/evaluation.h"
#include "train/tasks/classification/run.h"
#include "train/tasks/classification/tokenizer.h"

namespace calque {
namespace {

void check_classification_data(const Config& config) {
  const auto read = [&](const Corpora& corpora, Split split) {
    return read_labelled_corpora(corpora, split, config.data.invalid_utf8);
  };
  const auto corpora = read(config.data.train, Split::train);
  const Labels labels = labels_of(corpora);
  const Tokenizer tokenizer =
      open_classification_tokenizer(config, {}, {TaskStart::Purpose::plan}, corpora);
  const auto print = [&](const char* name, const std::vector<LabelledCorpus>& texts) {
    if (texts.empty()) return;
    const ClassificationData data = encode_corpora(texts, labels, tokenizer, config.data.context);
    fmt::print("{}: {} examples, {} tokens, {} lines skipped\n", name, data.examples.size(),
               data.tokens, data.skipped);
    for (size_t c = 0; c < labels.size(); ++c) fmt::print("  {}: {}\n", labels[c], data.counts[c]);
  };
  print("train", corpora);
  print("validation", read(config.data.validation, Split::validation));
  print("test", read(config.data.test, Split::test));
  fmt::print("vocabulary: {}\n", tokenizer.size());
}

void evaluate_classes(const EvaluateArguments& arguments,
                      const std::vector<CorpusOfSplit>& corpora) {
  require_one_run(arguments.runs);
  const ClassificationRun run = open_classification_run(arguments.runs.front());
  fmt::print("{}, step {}\n", run.checkpoint, run.step);
  std::string predicted;
  for (const auto& [corpus, split] : corpora) {
    const LabelledCorpus texts = read_labelled_corpus(corpus, split, run.config.data.invalid_utf8);
    const ClassificationData data =
        encode_corpora({texts}, run.labels, run.tokenizer, run.config.data.context);
    const ClassificationResult result =
        evaluate_classifier(run.model(), data, run.config.training.label_smoothing);
    for (size_t i = 0; i < texts.rows.size(); ++i) {
      const std::string& label = run.labels[static_cast<size_t>(result.predicted[i])];
      predicted += label + '\n';
      if (static_cast<int64_t>(i) >= arguments.samples) continue;
      fmt::print("  {}\n  = {}\n  > {}\n\n", fmt::join(texts.rows[i].texts, " | "),
                 texts.rows[i].label, label);
    }
    fmt::print("{}: {} examples\n  {}", texts.name, data.examples.size(),
               text_of(result, run.labels));
  }
  if (!arguments.output.empty()) write_result(arguments.output, predicted);
}

Explanation explain_classes(const ExplainArguments& arguments) {
  fail("{}: calque explain supports translation, language models and images", arguments.run);
}

}  // namespace

const TaskCommands classification_commands = {
    .task = TaskKind::classification,
    .check_data = check_classification_data,
    .evaluate = evaluate_classes,
    .score = refuse_to_score_classes,
    .explain = explain_classes,
    .files_to_evaluate = "--labelled",
};

}  // namespace calque
