// calque explain: writes how a model translates a sentence, continues a text or classifies an
// image, as a web page, an SVG figure, JSON or text for the terminal.
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/decoding_arguments.h"
#include "cli/language_arguments.h"
#include "cli/result_file.h"
#include "cli/tasks/task_commands.h"

namespace calque {
namespace {

struct ExplainCommandArguments {
  ExplainArguments explained;
  std::string out;
  bool svg = false, json = false, terminal = false;
};

void explain(ExplainCommandArguments& arguments) {
  using enum ExplainArguments::Form;
  ExplainArguments& explained = arguments.explained;
  explained.form = arguments.svg        ? svg
                   : arguments.json     ? json
                   : arguments.terminal ? ExplainArguments::Form::terminal
                                        : page;
  const std::string text =
      command_for("calque explain", explained.run.path, &TaskCommands::explain)(explained);
  const std::string default_out = explained.form == page ? "explain.html" : "-";
  write_result(arguments.out.empty() ? default_out : arguments.out, text);
}

// The options for language models alone.
void add_inspection(CLI::App* command, ExplainCommandArguments& arguments, TaskOptions& options) {
  const std::vector<TaskKind> tasks = tasks_with(&TaskCommands::explain, Feature::documents);
  options.add(tasks, command
                         ->add_flag("--terminal", arguments.terminal,
                                    "Print tables for the terminal instead of a page")
                         ->excludes("--json"));
  options.add(tasks, command
                         ->add_option("--against", arguments.explained.against,
                                      "A prompt with the same number of tokens: shows where its "
                                      "states change the output")
                         ->type_name("TEXT"));
  options.add(tasks, command
                         ->add_option("--without-heads", arguments.explained.without_heads,
                                      "Heads whose output becomes zero, such as 2.3,4.1 for head 3 "
                                      "of layer 2 and head 1 of layer 4")
                         ->delimiter(',')
                         ->allow_extra_args(false)
                         ->type_name("LAYER.HEAD,..."));
  options.add(tasks, command
                         ->add_option("--steer", arguments.explained.steer,
                                      "Add the direction of a word after a layer, such as "
                                      "sea:2:0.5; may be repeated")
                         ->allow_extra_args(false)
                         ->type_name("WORD:LAYER:STRENGTH"));
}

}  // namespace

void add_explain_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ExplainCommandArguments>();
  const auto options = std::make_shared<TaskOptions>();
  CLI::App* command = calque.add_subcommand(
      "explain", "Show how a model translates a sentence, continues a text or classifies an image");
  add_run(command, arguments->explained.run);
  command
      ->add_option("TEXT", arguments->explained.text,
                   "The sentence to translate, the prompt, or the path of an image")
      ->required()
      ->type_name("");
  command
      ->add_option("--out", arguments->out,
                   "The file to write, - for standard output (default: explain.html; standard "
                   "output for --svg, --json and --terminal)")
      ->type_name("FILE");
  CLI::Option* svg = options->add(
      Feature::pairs,
      command->add_flag("--svg", arguments->svg, "Write only a figure of the cross-attention"));
  command->add_flag("--json", arguments->json, "Write the numbers as JSON instead of a page")
      ->excludes(svg);
  options->add(Feature::pairs, add_target_language(command, arguments->explained.languages));
  options->add(Feature::pairs, add_beam(command, arguments->explained.decoding.beam));
  add_inspection(command, *arguments, *options);
  arguments->explained.decoding.n_best = 1;
  add_threads(command);
  command->footer(
      "Example: calque explain runs/toy 'ein Satz' --out sentence.html\n"
      "         calque explain runs/books 'The old man' --against 'The old sea' --terminal");
  command->callback([arguments, options] {
    options->check(arguments->explained.run.path);
    explain(*arguments);
  });
}

}  // namespace calque
