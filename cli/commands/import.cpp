// calque import: makes a run of another engine's model.
#include "interop/runs/import.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "interop/huggingface/peft.h"
#include "interop/runs/adapter_import.h"
#include "train/storage/run_folder.h"

namespace calque {
namespace {

struct ImportArguments {
  std::string place, run, base;
};

void run_import(const ImportArguments& arguments) {
  const std::string run = without_slash(arguments.run), place = without_slash(arguments.place);
  const bool adapter = is_peft_folder(place);
  if (adapter != !arguments.base.empty()) {
    wrong_command_line(adapter
                           ? place + " is an adapter; --base RUN names the run that it corrects"
                           : "--base is for adapters alone, folders with an adapter_config.json");
  }
  if (adapter) {
    import_adapter(place, without_slash(arguments.base), run);
    return write_output(fmt::format("{}: use it like any run\n", run));
  }
  import_run(place, run);
  write_output(
      fmt::format("{}: use it like any run; to train it on your data:\n"
                  "  calque train {}/finetune.yaml --run {}-tuned --set data.train=...\n",
                  run, run, run));
}

}  // namespace

void add_import_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command = calque.add_subcommand("import", "Make a run of another engine's model");
  command->add_option("PLACE", arguments->place, "The folder or file of the model")
      ->required()
      ->type_name("");
  command->add_option("--run", arguments->run, "The folder of the new run")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--base", arguments->base,
                   "Of an adapter of PEFT: the run that it corrects, such as an import of its base")
      ->type_name("RUN");
  command->footer(
      "PLACE is a folder of Hugging Face transformers (MarianMT, Llama, Mistral, Qwen, Gemma 3,\n"
      "GPT-NeoX, GPT-2, BERT or ViT), a folder of CTranslate2, a folder or file .npz of Marian, "
      "or\n"
      "a file .gguf of llama.cpp, also a quantized one; or, with --base, a folder of PEFT with a "
      "LoRA\n"
      "adapter.\n"
      "A model that calque cannot represent is refused. docs/interop.md has the formats.\n"
      "Example: calque import opus-mt-en-de --run runs/opus");
  command->callback([arguments] { run_import(*arguments); });
}

}  // namespace calque
