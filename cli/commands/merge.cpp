// calque merge: makes a plain run of a run with an adapter.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "train/tasks/registry.h"
#include "train/weights/adapter.h"

namespace calque {

void add_merge_command(CLI::App& calque) {
  struct Arguments {
    std::string run, out;
    double strength = 1;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      calque.add_subcommand("merge", "Merge the adapter of a run with the weights of its base");
  command
      ->add_option("RUN", arguments->run,
                   "The folder of a run with model.adapter, or of one of its checkpoints")
      ->required()
      ->type_name("");
  command
      ->add_option("--out", arguments->out,
                   "The new folder, a plain run (default: RUN-merged, beside the run)")
      ->type_name("DIR");
  command
      ->add_option(
          "--strength", arguments->strength,
          "Multiplies the corrections of the adapter: 0.8 keeps more of what the base knew")
      ->check(number(0, 2))
      ->capture_default_str()
      ->type_name("S");
  command->footer(
      "Every command that uses a run merges its adapter by itself, in memory. The new folder does "
      "not\n"
      "need the base.\n"
      "Example: calque merge runs/tuned --out runs/whole");
  command->callback([arguments] {
    const std::string out =
        arguments->out.empty() ? folder_beside(arguments->run, "-merged") : arguments->out;
    merge_adapter(arguments->run, out, make_task, static_cast<real>(arguments->strength));
    fmt::print("{}: {} merged with its base. Use it like a run.\n", out, arguments->run);
  });
}

}  // namespace calque
