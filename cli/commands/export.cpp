// calque export: writes a run's model in the format of another engine.
#include "interop/ctranslate2/export.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "core/error.h"
#include "interop/formats.h"
#include "interop/gguf/export.h"
#include "interop/huggingface/export.h"
#include "interop/marian/export.h"
#include "interop/numpy/export.h"
#include "interop/onnx/export.h"
#include "train/tasks/classification/run.h"
#include "train/tasks/images/run.h"
#include "train/tasks/language_model/run.h"
#include "train/tasks/masked_lm/run.h"
#include "train/tasks/registry.h"
#include "train/tasks/translation/run.h"

namespace calque {
namespace {

struct ExportArguments {
  std::string run, format, out;
  bool int8 = false;
};

void export_translator(const ExportArguments& arguments, ExportFormat format,
                       const std::string& out) {
  const TranslationRun run = open_translation_run(arguments.run);
  const ExportedTranslator from{run.config, *run.model().transformer(), run.tokenizers.source,
                                run.tokenizers.target};
  if (format == ExportFormat::huggingface) return export_huggingface(from, out);
  if (format == ExportFormat::onnx) return export_onnx(from, out);
  if (format == ExportFormat::marian) return export_marian(from, out);
  export_ctranslate2(from, arguments.int8 ? Ct2Weights::int8 : Ct2Weights::float32, out);
}

void export_language_model(const ExportArguments& arguments, ExportFormat format,
                           const std::string& out) {
  const LanguageModelRun run = open_language_model_run(arguments.run);
  const ExportedLanguageModel from{run.config, run.model(), run.tokenizer};
  if (format == ExportFormat::gguf) return export_gguf(from, out);
  export_huggingface(from, out);
}

void export_encoder(const std::string& place, TaskKind task, const std::string& out) {
  if (task == TaskKind::masked_lm) {
    const MaskedLmRun run = open_masked_lm_run(place);
    export_huggingface(ExportedMaskedLm{run.config, run.model(), run.tokenizer}, out);
  } else if (task == TaskKind::classification) {
    const ClassificationRun run = open_classification_run(place);
    export_huggingface(ExportedClassifier{run.config, run.model(), run.tokenizer, run.labels}, out);
  } else {
    const ImageRun run = open_image_run(place);
    export_huggingface(ExportedImageModel{run.config, run.model(), run.labels, run.preparation.fit,
                                          run.preparation.mean, run.preparation.deviation},
                       out);
  }
}

void export_parameters(const ExportArguments& arguments, ExportFormat format,
                       const std::string& out) {
  const TrainedRun run = open_run(arguments.run, make_task);
  if (format == ExportFormat::numpy) return export_numpy(run.task->parameters(), out);
  export_safetensors(run.task->parameters(), out);
}

void export_run(const ExportArguments& arguments) {
  const RunLocation run = find_run(arguments.run);
  const ExportFormat format = export_format_named(arguments.format);
  if (arguments.int8 && format != ExportFormat::ctranslate2) {
    wrong_command_line("--int8 is for ctranslate2 alone");
  }
  require_exportable(format, run.config, arguments.run);
  const std::string out = arguments.out.empty()
                              ? without_slash(run.folder.path) + "-" + arguments.format
                              : arguments.out;
  if (format == ExportFormat::numpy || format == ExportFormat::safetensors) {
    export_parameters(arguments, format, out);
  } else if (run.config.task == TaskKind::translation) {
    export_translator(arguments, format, out);
  } else if (run.config.task == TaskKind::language_model) {
    export_language_model(arguments, format, out);
  } else {
    export_encoder(arguments.run, run.config.task, out);
  }
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
      ->check(CLI::IsMember(export_format_names()))
      ->type_name("");
  command
      ->add_option("--out", arguments->out,
                   "The new folder (default: that of the run, with -FORMAT)")
      ->type_name("DIR");
  command->add_flag("--int8", arguments->int8, "ctranslate2: weights as integers of 8 bits");
  command->footer(
      "The files are read back and compared; a model that the format cannot hold exactly is\n"
      "refused. docs/interop.md has the formats.\n"
      "Examples: calque export runs/toy ctranslate2 --out toy-ct2\n"
      "          calque export runs/shakespeare huggingface");
  command->callback([arguments] { export_run(*arguments); });
}

}  // namespace calque
