// calque average: one model from the mean of several checkpoints' weights.
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

struct Arguments {
  std::vector<std::string> runs;
  std::string out;
  int64_t last = 0, best = 0;
};

// The checkpoints that are meant, or the places as they were given.
std::vector<std::string> places_of(const Arguments& arguments) {
  if (arguments.last == 0 && arguments.best == 0) return arguments.runs;
  std::vector<std::string> places;
  for (const std::string& run : arguments.runs) {
    const std::vector<std::string> own = arguments.best > 0 ? best_checkpoints(run, arguments.best)
                                                            : last_checkpoints(run, arguments.last);
    places.insert(places.end(), own.begin(), own.end());
  }
  return places;
}

// RUN-average, beside the run: also where that is `.`, which has no name to put something behind.
std::string usual_place(const std::string& run) {
  const std::filesystem::path path = without_slash(run);
  const bool named = path.filename() != "." && path.filename() != "..";
  return (named ? path : std::filesystem::weakly_canonical(path)).string() + "-average";
}

void average(const Arguments& arguments) {
  const std::string out =
      arguments.out.empty() ? usual_place(arguments.runs.front()) : arguments.out;
  const std::vector<std::string> places = places_of(arguments);
  average_weights(places, out, make_task);
  fmt::print("{}: the mean of\n  {}\nUse it as you would use a run.\n", out,
             fmt::join(places, "\n  "));
}

}  // namespace

void add_average_command(CLI::App& calque) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      calque.add_subcommand("average", "Average the weights of checkpoints, of one run or several");
  command
      ->add_option(
          "RUN", arguments->runs,
          "Runs' folders, or with neither --last nor --best their checkpoints'; a run means "
          "its best checkpoint")
      ->required()
      ->type_name("");
  CLI::Option* last =
      command->add_option("--last", arguments->last, "The newest N checkpoints of each run");
  CLI::Option* best =
      command->add_option("--best", arguments->best, "Those of the N best validations of each run");
  last->check(whole_number(1))->excludes(best);
  best->check(whole_number(1));
  command->add_option("--out", arguments->out,
                      "The new folder (default: RUN-average, of the first)");
  command->footer(
      "Several runs have a mean where one began with the weights of another (model.init_from).\n"
      "Examples: calque average runs/multi30k --last 10\n"
      "          calque average runs/general/last runs/tuned/last --out runs/both");
  command->callback([arguments, last, best] {
    if (arguments->runs.size() == 1 && last->empty() && best->empty()) {
      wrong_command_line(
          "one checkpoint is its own mean; give --last N, --best N, or several runs");
    }
    average(*arguments);
  });
}

}  // namespace calque
