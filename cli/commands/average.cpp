// calque average: makes a model whose weights are the mean of the weights of several checkpoints.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "train/tasks/registry.h"
#include "train/weights/averaging.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

struct AverageArguments {
  std::vector<std::string> folders;  // of runs or of checkpoints
  std::string out;
  int64_t last = 0, best = 0;
};

// Returns the folders to average: those of the command line, or with --last or --best the
// checkpoints that the option selects in each of them.
std::vector<std::string> folders_to_average(const AverageArguments& arguments) {
  if (arguments.last == 0 && arguments.best == 0) return arguments.folders;
  std::vector<std::string> all;
  for (const std::string& run : arguments.folders) {
    const std::vector<std::string> selected = arguments.best > 0
                                                  ? best_checkpoints(run, arguments.best)
                                                  : last_checkpoints(run, arguments.last);
    all.insert(all.end(), selected.begin(), selected.end());
  }
  return all;
}

void average(const AverageArguments& arguments) {
  const std::string out =
      arguments.out.empty() ? folder_beside(arguments.folders.front(), "-average") : arguments.out;
  const std::vector<std::string> folders = folders_to_average(arguments);
  average_weights(folders, out, make_task);
  fmt::print("{}: the average of\n  {}\nUse it like a run.\n", out, fmt::join(folders, "\n  "));
}

}  // namespace

void add_average_command(CLI::App& calque) {
  const auto arguments = std::make_shared<AverageArguments>();
  CLI::App* command = calque.add_subcommand(
      "average", "Average the weights of several checkpoints of one or more runs");
  command
      ->add_option(
          "RUN", arguments->folders,
          "Folders of runs or of single checkpoints; a run counts with its best checkpoint. With "
          "--last or --best: only folders of runs")
      ->required()
      ->type_name("");
  CLI::Option* last = command->add_option("--last", arguments->last,
                                          "Average the newest N checkpoints of each run");
  CLI::Option* best =
      command->add_option("--best", arguments->best, "Average the best N checkpoints of each run");
  last->check(whole_number(1))->excludes(best)->type_name("N");
  best->check(whole_number(1))->type_name("N");
  command
      ->add_option("--out", arguments->out,
                   "The new folder (default: RUN-average, beside the run of the first argument)")
      ->type_name("DIR");
  command->footer(
      "Average different runs only if one starts from the weights of the other, or both from the "
      "same\n"
      "run (model.init_from).\n"
      "Examples: calque average runs/multi30k --last 10\n"
      "          calque average runs/general/last runs/tuned/last --out runs/both");
  command->callback([arguments, last, best] {
    if (arguments->folders.size() == 1 && last->empty() && best->empty()) {
      wrong_command_line(
          "there is only one checkpoint to average; give --last N, --best N, or several runs");
    }
    average(*arguments);
  });
}

}  // namespace calque
