// calque explain: writes how a model translates a sentence, continues a text or classifies an
// image, as a web page, an SVG figure or JSON.
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/decoding_arguments.h"
#include "cli/result_file.h"
#include "cli/tasks/task_commands.h"

namespace calque {
namespace {

struct ExplainCommandArguments {
  ExplainArguments explained;
  std::string out;
  bool svg = false, json = false;
};

void explain(ExplainCommandArguments& arguments) {
  using enum ExplainArguments::Form;
  ExplainArguments& explained = arguments.explained;
  explained.form = arguments.svg ? svg : arguments.json ? json : page;
  const std::string text =
      command_for("calque explain", explained.run.path, &TaskCommands::explain)(explained);
  const std::string default_out = explained.form == page ? "explain.html" : "-";
  write_result(arguments.out.empty() ? default_out : arguments.out, text);
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
                   "output for --svg and --json)")
      ->type_name("FILE");
  CLI::Option* svg = options->add(
      Feature::pairs,
      command->add_flag("--svg", arguments->svg, "Write only a figure of the cross-attention"));
  command->add_flag("--json", arguments->json, "Write the numbers as JSON instead of a page")
      ->excludes(svg);
  options->add(Feature::pairs, add_beam(command, arguments->explained.decoding.beam));
  arguments->explained.decoding.n_best = 1;
  add_threads(command);
  command->footer("Example: calque explain runs/toy 'ein Satz' --out sentence.html");
  command->callback([arguments, options] {
    options->check(arguments->explained.run.path);
    explain(*arguments);
  });
}

}  // namespace calque
