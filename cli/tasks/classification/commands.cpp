// What evaluate, classify and data check do with runs of task: classification.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/line_streams.h"
#include "cli/output.h"
#include "cli/result_file.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "data/text/utf8.h"
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

// Texts of a line: one, or two that a tab separates.
std::vector<std::string> texts_of(const std::string& line, const LineInput& input) {
  const std::string problem = utf8_problem(line);
  if (!problem.empty()) fail("{}: {}", input.where(), problem);
  const size_t tab = line.find('\t');
  if (tab == line.npos) return {line};
  if (line.find('\t', tab + 1) != line.npos) {
    fail("{}: has more than two texts; a tab separates the two texts of a pair", input.where());
  }
  return {line.substr(0, tab), line.substr(tab + 1)};
}

void classify_lines(const ClassifyArguments& arguments) {
  constexpr int64_t lines_at_once = 256;
  const ClassificationRun run = open_classification_run(arguments.run);
  std::vector<EncodedText> texts;
  const auto print = [&] {
    for (const auto& probabilities : class_probabilities(run.model(), texts)) {
      write_output(class_line(run.labels, probabilities, arguments));
    }
    texts.clear();
  };
  LineInput input("");
  std::string line;
  while (input.next(line)) {
    texts.push_back(encode_texts(texts_of(line, input), run.tokenizer, run.config.data.context));
    if (std::ssize(texts) == lines_at_once) print();
  }
  print();
}

}  // namespace

extern const TaskCommands classification_commands;
const TaskCommands classification_commands = {
    .task = TaskKind::classification,
    .files_to_evaluate = "--labelled",
    .check_data = check_classification_data,
    .evaluate = evaluate_classes,
    .classify = classify_lines,
};

}  // namespace calque
