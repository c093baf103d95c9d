// What evaluate, classify and data check do with runs of task: classification.
#include "cli/output.h"
#include "cli/tasks/text_classes.h"
#include "core/error.h"
#include "train/tasks/classification/task.h"

namespace calque {
namespace {

// Texts of a line: one, or two that a tab separates.
std::vector<std::string> texts_of(const std::string& line, const LineInput& input) {
  const size_t tab = line.find('\t');
  if (tab == line.npos) return {line};
  if (line.find('\t', tab + 1) != line.npos) {
    fail("{}: has more than two texts; a tab separates the two texts of a pair", input.where());
  }
  return {line.substr(0, tab), line.substr(tab + 1)};
}

void classify_lines(const ClassifyArguments& arguments) {
  predict_text_classes(
      classes_of_texts, arguments.run, arguments.invalid, texts_of,
      [&](const Labels& labels, const auto&, const std::vector<std::vector<double>>& found) {
        write_output(class_line(labels, found.front(), arguments));
      });
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
    .check_data = [](const Config& config) { check_text_classes(classes_of_texts, config); },
    .evaluate =
        [](const auto& arguments, const auto& corpora) {
          evaluate_text_classes(classes_of_texts, arguments, corpora);
        },
    .classify = classify_lines,
};

}  // namespace calque
