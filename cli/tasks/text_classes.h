#pragma once
// What data check and evaluate do with the tasks whose model is a text encoder that names classes.
// See train/tasks/classes/text_task.h for the functions of a Corpus.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/result_file.h"
#include "cli/tasks/task_commands.h"
#include "train/tasks/classes/evaluation.h"
#include "train/tasks/classes/text_classifier.h"

namespace calque {

template <class Corpus>
void check_text_classes(const Config& config) {
  const auto read = [&](const Corpora& corpora, Split split) {
    return read_corpora<Corpus>(config.data, corpora, split);
  };
  const std::vector<Corpus> corpora = read(config.data.train, Split::train);
  const Labels labels = labels_of(corpora);
  const Tokenizer tokenizer = open_encoder_tokenizer(config, {}, {TaskStart::Purpose::plan},
                                                     [&] { return texts_of(corpora); });
  const auto print = [&](const char* name, const std::vector<Corpus>& rows) {
    if (rows.empty()) return;
    const auto data = encode_corpora(rows, labels, tokenizer, config.data.context);
    fmt::print("{}: {}\n", name, data.summary());
    for (size_t c = 0; c < labels.size(); ++c) fmt::print("  {}: {}\n", labels[c], data.counts[c]);
  };
  print("train", corpora);
  print("validation", read(config.data.validation, Split::validation));
  print("test", read(config.data.test, Split::test));
  fmt::print("vocabulary: {}\n", tokenizer.size());
}

// A row of a corpus after evaluation.
struct EvaluatedRow {
  std::string text, expected, predicted;
  std::string output;  // for --output
};

// evaluate(run, data) returns the result; rows_of(rows, data, result, labels) returns an
// EvaluatedRow for each row.
template <class Corpus, class Evaluate, class RowsOf>
void evaluate_text_classes(TaskKind task, const EvaluateArguments& arguments,
                           const std::vector<CorpusOfSplit>& corpora, Evaluate evaluate,
                           RowsOf rows_of) {
  const TextClassifierRun run = open_text_classifier(task, arguments.runs.front());
  fmt::print("{}, step {}\n", run.checkpoint, run.step);
  std::string output;
  for (const auto& [corpus, split] : corpora) {
    const auto read = read_corpora<Corpus>(run.config.data, {corpus}, split);
    const auto data = encode_corpora(read, run.labels, run.tokenizer, run.config.data.context);
    const ClassificationResult result = evaluate(run, data);
    int64_t shown = 0;
    for (const EvaluatedRow& row : rows_of(read.front().rows, data, result, run.labels)) {
      output += row.output;
      if (shown++ >= arguments.samples) continue;
      fmt::print("  {}\n  = {}\n  > {}\n\n", row.text, row.expected, row.predicted);
    }
    fmt::print("{}: {}\n  {}", read.front().name, data.size_text(), text_of(result, run.labels));
  }
  if (!arguments.output.empty()) write_result(arguments.output, output);
}

}  // namespace calque
