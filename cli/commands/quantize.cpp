// calque quantize: stores the weights of a run in int8.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "train/tasks/registry.h"
#include "train/weights/quantizing.h"

namespace calque {
namespace {

struct QuantizeArguments {
  std::string run, out;
};

void quantize(const QuantizeArguments& arguments) {
  const std::string out =
      arguments.out.empty() ? folder_beside(arguments.run, "-int8") : arguments.out;
  const QuantizedRun result = quantize_weights(arguments.run, out, make_task);
  fmt::print(
      "{}: {:.1f} MB of weights in {:.1f} MB\n"
      "rounding changed them by {:.2f}% of their size (root mean square), most in {}: {:.2f}%\n"
      "Use it like a run.\n",
      out, double(result.bytes_before) / 1e6, double(result.bytes) / 1e6, 100 * result.rounding,
      result.worst_parameter, 100 * result.worst);
}

}  // namespace

void add_quantize_command(CLI::App& calque) {
  const auto arguments = std::make_shared<QuantizeArguments>();
  CLI::App* command = calque.add_subcommand(
      "quantize", "Store the weights of a run in 8-bit integers, in a quarter of the bytes");
  add_run(command, arguments->run);
  command->add_option("--out", arguments->out, "The new folder (default: RUN-int8, beside the run)")
      ->type_name("DIR");
  command->footer(
      "Every command opens the new folder and computes with the integers, as it does with\n"
      "--precision int8 and the run itself. It cannot be trained further, but model.init_from can\n"
      "start from it.\n"
      "Example: calque quantize runs/multi30k\n"
      "         calque evaluate runs/multi30k-int8");
  command->callback([arguments] { quantize(*arguments); });
}

}  // namespace calque
