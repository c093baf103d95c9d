// calque fill: a masked language model predicts the token at each [MASK].
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/tasks/task_commands.h"
#include "train/tasks/masked_lm/filling.h"

namespace calque {
namespace {

struct FillArguments {
  RunPlace run;
  std::string text;
  int64_t alternatives = 1;
};

void fill(const FillArguments& arguments) {
  require_task("calque fill", arguments.run.path, {TaskKind::masked_lm});
  const MaskedLmRun run = open_masked_lm_run(arguments.run);
  const FilledText filled = fill_text(run, arguments.text, arguments.alternatives);
  write_output(filled.text + '\n');
  for (size_t k = 0; k < filled.fillings.size(); ++k) {
    for (const Filling& filling : filled.fillings[k]) {
      write_output(fmt::format("{}\t{:.4f}\t{}\n", k + 1, filling.probability,
                               run.tokenizer.symbol(filling.id)));
    }
  }
}

}  // namespace

void add_fill_command(CLI::App& calque) {
  const auto arguments = std::make_shared<FillArguments>();
  CLI::App* command = calque.add_subcommand("fill", "Predict the token at each [MASK] of a text");
  add_run(command, arguments->run);
  command->add_option("TEXT", arguments->text, "A text with one [MASK] or more")
      ->required()
      ->type_name("");
  command
      ->add_option("--alternatives", arguments->alternatives,
                   "Print the N most probable tokens for each [MASK] (default: 1)")
      ->check(whole_number(1))
      ->type_name("N");
  add_threads(command);
  command->footer(
      "Prints the filled text, then a line for each predicted token: the number of the [MASK],\n"
      "the token's probability and its symbol, separated by tabs.\n"
      "Example: calque fill runs/masked 'The [MASK] sleeps.' --alternatives 5");
  command->callback([arguments] { fill(*arguments); });
}

}  // namespace calque
