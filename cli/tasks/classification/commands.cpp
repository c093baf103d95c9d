// What evaluate, classify and data check do with runs of task: classification.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/line_streams.h"
#include "cli/output.h"
#include "cli/tasks/text_classes.h"
#include "core/error.h"
#include "data/text/utf8.h"
#include "train/tasks/classification/evaluation.h"
#include "train/tasks/classification/run.h"

namespace calque {
namespace {

void evaluate_classification(const EvaluateArguments& arguments,
                             const std::vector<CorpusOfSplit>& corpora) {
  const auto rows_of = [](const std::vector<LabelledText>& texts, const ClassificationData&,
                          const ClassificationResult& result, const Labels& labels) {
    std::vector<EvaluatedRow> rows;
    for (const LabelledText& text : texts) {
      const std::string& found = labels[static_cast<size_t>(result.predicted[rows.size()])];
      rows.push_back(
          {fmt::format("{}", fmt::join(text.texts, " | ")), text.label, found, found + '\n'});
    }
    return rows;
  };
  evaluate_text_classes<LabelledCorpus>(
      TaskKind::classification, arguments, corpora,
      [](const ClassificationRun& run, const ClassificationData& data) {
        return evaluate_classifier(run.model(), data, run.config.training.label_smoothing);
      },
      rows_of);
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
    .path_to_evaluate = &CorpusConfig::labelled,
    .path_type = "FILE",
    .path_meaning =
        "Classification: evaluate on this file instead; a line is a label, a tab or a "
        "space, and a text",
    .check_data = check_text_classes<LabelledCorpus>,
    .evaluate = evaluate_classification,
    .classify = classify_lines,
};

}  // namespace calque
