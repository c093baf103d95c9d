// calque average: one model from the mean of several checkpoints' weights.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "core/error.h"
#include "train/averaging.h"

namespace calque {
namespace {

struct Arguments {
  std::string run, out;
  int64_t last = 0, best = 0;
};

void average(const Arguments& arguments) {
  const bool best = arguments.best > 0;
  const int64_t count = best ? arguments.best : std::max<int64_t>(arguments.last, 1);
  const std::vector<int64_t> steps =
      best ? best_steps(arguments.run, count) : last_steps(arguments.run, count);
  std::string run = arguments.run;
  while (run.size() > 1 && run.back() == '/') run.pop_back();
  const std::string out = arguments.out.empty() ? run + "-average" : arguments.out;
  average_checkpoints(run, steps, out);
  fmt::print("{}: the mean of steps {}; use it as you would use a run\n", out,
             fmt::join(steps, ", "));
}

}  // namespace

void add_average_command(CLI::App& calque) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = calque.add_subcommand("average", "Average the weights of checkpoints");
  command->add_option("RUN", arguments->run, "The run's folder")->required();
  CLI::Option* last = command->add_option("--last", arguments->last, "The newest N checkpoints");
  CLI::Option* best =
      command->add_option("--best", arguments->best, "Those of the N best validations");
  last->check(whole_number(1))->excludes(best);
  best->check(whole_number(1));
  command->add_option("--out", arguments->out, "The new folder (default: RUN-average)");
  command->footer("Example: calque average runs/multi30k --last 10");
  command->callback([arguments, last, best] {
    if (last->empty() && best->empty()) fail("give --last N or --best N");
    average(*arguments);
  });
}

}  // namespace calque
