// What evaluate and data check do with runs of task: tagging, and calque tag: the tag of each word
// of standard input.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/tasks/text_classes.h"
#include "data/corpora/tagged.h"
#include "train/tasks/tagging/task.h"

namespace calque {
namespace {

void tag(const RunPlace& run, bool with_probabilities, InvalidLine invalid) {
  require_task("calque tag", run.path, {TaskKind::tagging});
  predict_text_classes(
      classes_of_words, run, invalid,
      [](const std::string& line, const LineInput&) { return words_of(line); },
      [&](const Labels& tags, const auto& words, const auto& probabilities) {
        std::string lines;
        for (size_t i = 0; i < words.size(); ++i) {
          const auto best = std::ranges::max_element(probabilities[i]);
          lines += words[i] + '\t' + tags[static_cast<size_t>(best - probabilities[i].begin())];
          lines += with_probabilities ? fmt::format("\t{:.4f}\n", *best) : "\n";
        }
        write_output(lines + '\n');
      });
}

void add_tag_command(CLI::App& calque) {
  const auto run = std::make_shared<RunPlace>();
  const auto invalid = std::make_shared<InvalidLine>(InvalidLine::error);
  CLI::App* command = calque.add_subcommand("tag", "Print the tag of each word of stdin");
  add_run(command, *run);
  const CLI::Option* probabilities =
      command->add_flag("--probabilities")->description("Print the probability after each tag");
  add_invalid_utf8(command, *invalid);
  add_threads(command);
  command->footer(
      "A line of stdin is a sentence; white space separates its words. Prints a word, a tab and\n"
      "its tag on each line, and an empty line after each sentence.\n"
      "Example: echo 'The old horse sleeps .' | calque tag runs/tagging");
  command->callback([=] { tag(*run, !probabilities->empty(), *invalid); });
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
    .check_data = [](const Config& config) { check_text_classes(classes_of_words, config); },
    .evaluate =
        [](const auto& arguments, const auto& corpora) {
          evaluate_text_classes(classes_of_words, arguments, corpora);
        },
    .add_commands = add_tag_command,
};

}  // namespace calque
