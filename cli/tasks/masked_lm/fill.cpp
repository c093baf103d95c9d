// calque fill: a masked language model predicts the token at each [MASK].
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "data/text/utf8.h"
#include "train/tasks/masked_lm/filling.h"
#include "train/tasks/masked_lm/run.h"

namespace calque {
namespace {

struct FillArguments {
  RunPlace run;
  std::string text;
  int64_t alternatives = 1;
};

void fill(const FillArguments& arguments) {
  const std::string problem = utf8_problem(arguments.text);
  if (!problem.empty()) fail("the text: {}", problem);
  require_task("calque fill", arguments.run.path, {TaskKind::masked_lm});
  const MaskedLmRun run = open_masked_lm_run(arguments.run);
  std::vector<int32_t> ids = encode_masked_text(run.tokenizer, arguments.text);
  std::vector<int32_t> rows;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == mask_id(run.tokenizer)) rows.push_back(static_cast<int32_t>(i));
  }
  if (rows.empty()) fail("the text has no [MASK]; write one where a token is missing");
  if (std::ssize(ids) > run.config.data.context) {
    fail("the text has {} tokens, but the model sees {} at once; shorten it", ids.size(),
         run.config.data.context);
  }
  const auto found = fill_rows(run.model(), run.tokenizer, ids, rows, arguments.alternatives);
  for (size_t k = 0; k < rows.size(); ++k) {
    ids[static_cast<size_t>(rows[k])] = found[k].front().id;
  }
  write_output(run.tokenizer.decode_document(ids) + '\n');
  for (size_t k = 0; k < rows.size(); ++k) {
    for (const Filling& filling : found[k]) {
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
