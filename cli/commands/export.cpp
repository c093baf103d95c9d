// calque export: writes a run's model in the format of another engine.
#include "interop/runs/export.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

struct ExportArguments {
  std::string run, format, out, type;
};

void run_export(const ExportArguments& arguments) {
  const Format& format = format_named(arguments.format);
  const std::string problem = type_problem(format, arguments.type);
  if (!problem.empty()) wrong_command_line("--type: " + problem);
  const std::string out =
      arguments.out.empty()
          ? without_slash(find_run(arguments.run).folder.path) + "-" + arguments.format
          : arguments.out;
  const std::string remark = export_run(arguments.run, format, out, arguments.type);
  if (!remark.empty()) write_output(remark + "\n");
  write_output(fmt::format("{}: {}/README.md says how to load it\n", out, out));
}

}  // namespace

void add_export_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command =
      calque.add_subcommand("export", "Write a model in the format of another engine");
  add_run(command, arguments->run);
  command->add_option("FORMAT", arguments->format, "The format")
      ->required()
      ->check(CLI::IsMember(format_names()))
      ->type_name("");
  command
      ->add_option("--out", arguments->out,
                   "The new folder (default: that of the run, with -FORMAT)")
      ->type_name("DIR");
  CLI::Option* type =
      command
          ->add_option("--type", arguments->type,
                       "How weights are stored. ctranslate2: float32 or int8; gguf: float32, "
                       "float16, bfloat16, q8_0 or q4_0")
          ->type_name("TYPE");
  command
      ->add_flag_callback(
          "--int8", [arguments] { arguments->type = "int8"; }, "The same as --type int8")
      ->excludes(type);
  command->footer(
      "The files are read back and compared; a model that the format cannot hold exactly is\n"
      "refused. docs/interop.md has the formats.\n"
      "Examples: calque export runs/toy ctranslate2 --out toy-ct2\n"
      "          calque export runs/shakespeare gguf --type q8_0");
  command->callback([arguments] { run_export(*arguments); });
}

}  // namespace calque
