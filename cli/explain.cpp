// calque explain: shows the translation of a sentence, the continuation of a text or the class of
// an image as a page, a figure or numbers.
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/result_file.h"
#include "cli/tasks/task_commands.h"
#include "train/report/attention_figure.h"
#include "train/report/explain_page.h"
#include "train/trained_run.h"

namespace calque {
namespace {

struct ExplainCommandArguments {
  ExplainArguments what;
  std::string out;
  bool svg = false, json = false;
};

std::string explanation(const ExplainCommandArguments& arguments) {
  if (find_run(arguments.what.run).config.task == TaskKind::images) {
    return explain_image(arguments.what, arguments.json);
  }
  const Explanation explanation = commands_for(arguments.what.run).explain(arguments.what);
  return arguments.svg    ? cross_attention_svg(explanation, {})
         : arguments.json ? explanation_json(explanation)
                          : explain_page(explanation);
}

void explain(const ExplainCommandArguments& arguments) {
  const std::string text = explanation(arguments);
  const std::string usual = arguments.svg || arguments.json ? "-" : "explain.html";
  write_result(arguments.out.empty() ? usual : arguments.out, text);
}

}  // namespace

void add_explain_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ExplainCommandArguments>();
  const auto options = std::make_shared<TaskOptions>();
  CLI::App* command = calque.add_subcommand(
      "explain", "Show how a model translates a sentence, continues a text or classifies an image");
  command
      ->add_option("RUN", arguments->what.run, "The folder of a run or of one of its checkpoints")
      ->required()
      ->type_name("");
  command
      ->add_option("TEXT", arguments->what.text,
                   "The sentence to translate, the prompt, or the file of an image")
      ->required()
      ->type_name("");
  command
      ->add_option("--out", arguments->out,
                   "The file to write, - for standard output (default: explain.html; standard "
                   "output for --svg and --json)")
      ->type_name("FILE");
  CLI::Option* svg =
      options->add(TaskKind::translation,
                   command->add_flag("--svg", arguments->svg, "Draw only the cross-attention"));
  command->add_flag("--json", arguments->json, "Write the numbers instead of a page")
      ->excludes(svg);
  options->add(TaskKind::translation, add_beam(command, arguments->what.decoding.beam));
  arguments->what.decoding.n_best = 1;
  add_threads(command);
  command->footer("Example: calque explain runs/toy 'ein Satz' --out sentence.html");
  command->callback([arguments, options] {
    options->check(arguments->what.run);
    explain(*arguments);
  });
}

}  // namespace calque
