// calque score: the log-probability that a model assigns to translations or texts.
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/language_arguments.h"
#include "cli/tasks/task_commands.h"

namespace calque {

void add_score_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ScoreArguments>();
  const auto options = std::make_shared<TaskOptions>();
  CLI::App* command = calque.add_subcommand(
      "score", "Print the log-probability that a model assigns to translations or texts");
  add_run(command, arguments->run);
  CLI::Option* source = options->add(
      Feature::pairs, command->add_option("--source", arguments->source,
                                          "Translation: sentences, plain, gzip or zstd"));
  CLI::Option* target =
      command->add_option("--target", arguments->target, "Their translations, line by line");
  CLI::Option* text = options->add(
      tasks_with(&TaskCommands::score, Feature::documents),
      command->add_option("--text", arguments->text, "Language model: documents, one per line"));
  text->type_name("FILE")->excludes(source);
  source->type_name("FILE")->needs(target);
  target->type_name("FILE")->needs(source);
  options->add(Feature::pairs, add_target_language(command, arguments->languages));
  add_threads(command);
  command->footer(
      "For each line, prints the natural log-probability, the log-probability per token, and the\n"
      "number of tokens, </s> included.\n"
      "Examples: calque score runs/toy --source test.src --target test.tgt\n"
      "          calque score runs/shakespeare --text lines.txt");
  command->callback([arguments, options] {
    if (arguments->source.empty() && arguments->text.empty()) {
      wrong_command_line("give --source and --target, or --text for a language model");
    }
    options->check(arguments->run.path);
    command_for("calque score", arguments->run.path, &TaskCommands::score)(*arguments);
  });
}

}  // namespace calque
