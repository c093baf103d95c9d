// What evaluate and data check do with runs of task: tagging, and calque tag: the tag of each word
// of standard input.
#include <fmt/ranges.h>

#include <memory>

#include "cli/command_line.h"
#include "cli/line_streams.h"
#include "cli/output.h"
#include "cli/tasks/text_classes.h"
#include "core/error.h"
#include "data/text/utf8.h"
#include "train/tasks/tagging/evaluation.h"

namespace calque {
namespace {

void evaluate_tagging(const EvaluateArguments& arguments,
                      const std::vector<CorpusOfSplit>& corpora) {
  const auto rows_of = [](const std::vector<TaggedSentence>& sentences, const TaggingData& data,
                          const ClassificationResult& result, const Labels& labels) {
    const auto predicted = data.sentences(result.predicted, labels);
    std::vector<EvaluatedRow> rows;
    for (const auto& [words, tags] : sentences) {
      const std::vector<std::string>& found = predicted[rows.size()];
      EvaluatedRow& row = rows.emplace_back();
      row.text = fmt::format("{}", fmt::join(words, " "));
      row.expected = fmt::format("{}", fmt::join(tags, " "));
      row.predicted = fmt::format("{}", fmt::join(found, " "));
      for (size_t i = 0; i < words.size(); ++i) row.output += words[i] + '\t' + found[i] + '\n';
      row.output += '\n';
    }
    return rows;
  };
  evaluate_text_classes<TaggedCorpus>(
      TaskKind::tagging, arguments, corpora,
      [](const TextClassifierRun& run, const TaggingData& data) {
        return evaluate_tagger(run.model(), data, run.labels, run.config.training.label_smoothing);
      },
      rows_of);
}

struct TagArguments {
  std::string run;
  bool probabilities = false;
};

void tag(const TagArguments& arguments) {
  constexpr int64_t lines_at_once = 256;
  require_task("calque tag", arguments.run, {TaskKind::tagging});
  const TextClassifierRun run = open_text_classifier(TaskKind::tagging, arguments.run);
  std::vector<std::vector<std::string>> sentences;
  const auto print = [&] {
    for (const auto& sentence : tag_sentences(run, sentences)) {
      for (const auto& [word, tag, probability] : sentence) {
        write_output(word + '\t' + tag +
                     (arguments.probabilities ? fmt::format("\t{:.4f}\n", probability) : "\n"));
      }
      write_output("\n");
    }
    sentences.clear();
  };
  LineInput input("");
  for (std::string line; input.next(line);) {
    const std::string problem = utf8_problem(line);
    if (!problem.empty()) fail("{}: {}", input.where(), problem);
    sentences.push_back(words_of(line));
    if (std::ssize(sentences) == lines_at_once) print();
  }
  print();
}

void add_tag_command(CLI::App& calque) {
  const auto arguments = std::make_shared<TagArguments>();
  CLI::App* command = calque.add_subcommand("tag", "Print the tag of each word of stdin");
  add_run(command, arguments->run);
  command->add_flag("--probabilities", arguments->probabilities,
                    "Print the probability after each tag");
  add_threads(command);
  command->footer(
      "A line of stdin is a sentence; white space separates its words. Prints a word, a tab and\n"
      "its tag on each line, and an empty line after each sentence.\n"
      "Example: echo 'The old horse sleeps .' | calque tag runs/tagging");
  command->callback([arguments] { tag(*arguments); });
}

}  // namespace

extern const TaskCommands tagging_commands;
const TaskCommands tagging_commands = {
    .task = TaskKind::tagging,
    .files_to_evaluate = "--tagged",
    .path_to_evaluate = &CorpusConfig::tagged,
    .path_type = "FILE",
    .path_meaning =
        "Tagging: evaluate on this file instead; a line is a word, a tab or a space, and "
        "its tag",
    .check_data = check_text_classes<TaggedCorpus>,
    .evaluate = evaluate_tagging,
    .add_commands = add_tag_command,
};

}  // namespace calque
