// calque average: averages the weights of several checkpoints into one model.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "train/averaging.h"
#include "train/storage/run_folder.h"
#include "train/tasks/registry.h"

namespace calque {
namespace {

struct AverageArguments {
  std::vector<std::string> runs;
  std::string out;
  int64_t last = 0, best = 0;
};

// The chosen checkpoints of each run, or without a choice the places as given.
std::vector<std::string> places_of(const AverageArguments& arguments) {
  if (arguments.last == 0 && arguments.best == 0) return arguments.runs;
  std::vector<std::string> places;
  for (const std::string& run : arguments.runs) {
    const std::vector<std::string> own = arguments.best > 0 ? best_checkpoints(run, arguments.best)
                                                            : last_checkpoints(run, arguments.last);
    places.insert(places.end(), own.begin(), own.end());
  }
  return places;
}

// RUN-average, beside the run. `.` has no name to extend, so its full path is used.
std::string default_folder(const std::string& run) {
  const std::filesystem::path path = without_slash(run);
  const bool named = path.filename() != "." && path.filename() != "..";
  return (named ? path : std::filesystem::weakly_canonical(path)).string() + "-average";
}

void average(const AverageArguments& arguments) {
  const std::string out =
      arguments.out.empty() ? default_folder(arguments.runs.front()) : arguments.out;
  const std::vector<std::string> places = places_of(arguments);
  average_weights(places, out, make_task);
  fmt::print("{}: the average of\n  {}\nUse it like a run.\n", out, fmt::join(places, "\n  "));
}

}  // namespace

void add_average_command(CLI::App& calque) {
  const auto arguments = std::make_shared<AverageArguments>();
  CLI::App* command =
      calque.add_subcommand("average", "Average the weights of checkpoints, of one run or several");
  command
      ->add_option(
          "RUN", arguments->runs,
          "Folders of runs; without --last and --best, also of single checkpoints. A run then "
          "stands for its best checkpoint")
      ->required()
      ->type_name("");
  CLI::Option* last =
      command->add_option("--last", arguments->last, "The newest N checkpoints of each run");
  CLI::Option* best = command->add_option("--best", arguments->best,
                                          "The checkpoints of the N best validations of each run");
  last->check(whole_number(1))->excludes(best);
  best->check(whole_number(1));
  command->add_option("--out", arguments->out,
                      "The new folder (default: the first RUN, with -average)");
  command->footer(
      "Runs can be averaged if they started from the same weights (model.init_from).\n"
      "Examples: calque average runs/multi30k --last 10\n"
      "          calque average runs/general/last runs/tuned/last --out runs/both");
  command->callback([arguments, last, best] {
    if (arguments->runs.size() == 1 && last->empty() && best->empty()) {
      wrong_command_line(
          "there is only one checkpoint to average; give --last N, --best N, or several runs");
    }
    average(*arguments);
  });
}

}  // namespace calque
