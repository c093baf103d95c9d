// calque import: makes a run of another engine's model.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "core/error.h"
#include "interop/ctranslate2_import.h"
#include "interop/export_folder.h"
#include "interop/gguf_import.h"
#include "interop/huggingface_import.h"
#include "interop/marian_import.h"
#include "train/config/check.h"
#include "train/config/presets.h"
#include "train/config/show.h"
#include "train/parameter_tensors.h"
#include "train/storage/checkpoints.h"
#include "train/tasks/classification/classification_run.h"
#include "train/tasks/classification/labelled_corpora.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/masked_lm/masked_lm_run.h"
#include "train/tasks/run_tokenizers.h"
#include "train/tasks/task_model.h"
#include "train/tasks/translation/translation_model.h"

namespace calque {
namespace {

struct ImportArguments {
  std::string place, run;
};

// A config file for training on from these weights: what differs from the defaults of the task.
std::string fine_tuning_text(const Config& config) {
  Config usual;
  usual.task = config.task;
  apply_task(usual);
  std::string text = fmt::format(
      "# Trains the imported model on: set data.train, and data.validation to compare "
      "checkpoints.\n"
      "task: {}\n",
      name_of(task_kinds, config.task));
  std::string section;
  for (const ConfigDifference& difference : config_differences(usual, config)) {
    const size_t dot = difference.key.find('.');
    const bool is_default = find_config_key(difference.key)->write(usual) == difference.now;
    if (is_default || difference.now == "not used") continue;
    if (difference.key.substr(0, dot) != section) {
      section = difference.key.substr(0, dot);
      text += fmt::format("\n{}:\n", section);
    }
    text += fmt::format("  {}: {}\n", difference.key.substr(dot + 1), difference.now);
  }
  return text;
}

// The run, in the folder of its temporary name.
class NewRun {
 public:
  explicit NewRun(const std::string& run) : run_(without_slash(run)), folder_(run_) {}

  // Each with the ending of its file: "", or ".source" and ".target".
  void add_tokenizer(const std::string& ending, const Tokenizer& tokenizer) {
    tokenizer.save(folder_.file("tokenizer" + ending));
    tokenizers_.push_back(tokenizer);
    files_.push_back(
        Tokenizer::file_name(RunFolder{run_}.tokenizer() + ending, tokenizer.options().kind));
  }

  void add_labels(const Labels& labels) { save_labels(labels, RunFolder{folder_.file("")}); }

  void finish(Config config, const Parameters& parameters) {
    config.tokenizer.files = files_;
    config.model.init_from = run_;
    complete(config);
    const std::string text = show_config(config);
    folder_.write("config.yaml", text);
    folder_.write("finetune.yaml", fine_tuning_text(config));
    Checkpoints checkpoints(real_files(), folder_.file(""));
    TrainingState state;
    state.config = text;
    state.tokenizer_hash = hash_of(tokenizers_);
    state.versions = {{"calque", CALQUE_VERSION}};
    checkpoints.save(parameter_tensors(parameters), {}, state);
    try {
      for (const char* name : {"last", "best"}) checkpoints.link(name, state.step);
    } catch (const FileError&) {  // a file system without links: find_run() works without them
    }
    folder_.finish();
  }

 private:
  std::string run_;
  ExportFolder folder_;
  std::vector<Tokenizer> tokenizers_;
  std::vector<std::string> files_;
};

void write_run(const ImportedTranslator& from, const std::string& run) {
  NewRun to(run);
  const bool joint = from.config.tokenizer.joint;
  to.add_tokenizer(joint ? "" : ".source", from.source);
  if (!joint) to.add_tokenizer(".target", from.target);
  TranslationModel network(from.config.model, from.source.size(), from.target.size());
  from.fill(*network.translator().transformer());
  to.finish(from.config, network.parameters);
}

void write_run(const ImportedLanguageModel& from, const std::string& run) {
  NewRun to(run);
  to.add_tokenizer("", from.tokenizer);
  const TaskModel<LanguageModel> network(
      language_model_options(from.config, from.tokenizer.size()));
  from.fill(network.model);
  to.finish(from.config, network.parameters);
}

void write_run(const ImportedMaskedLm& from, const std::string& run) {
  NewRun to(run);
  to.add_tokenizer("", from.tokenizer);
  const TaskModel<MaskedLm> network(masked_lm_options(from.config, from.tokenizer.size()));
  from.fill(network.model);
  to.finish(from.config, network.parameters);
}

void write_run(const ImportedClassifier& from, const std::string& run) {
  NewRun to(run);
  to.add_tokenizer("", from.tokenizer);
  to.add_labels(from.labels);
  const TaskModel<Classifier> network(
      classifier_options(from.config, from.tokenizer.size(), std::ssize(from.labels)));
  from.fill(network.model);
  to.finish(from.config, network.parameters);
}

Imported import_place(const std::string& place) {
  namespace fs = std::filesystem;
  if (!fs::exists(place)) fail("{}: there is no such folder or file", place);
  if (fs::exists(place + "/model.bin")) return import_ctranslate2(place);
  if (fs::is_directory(place) && fs::exists(place + "/config.json")) {
    return import_huggingface(place);
  }
  if (fs::path(place).extension() == ".gguf") return import_gguf(place);
  if (const std::string model = marian_model(place); !model.empty()) return import_marian(model);
  fail(
      "{}: not a model that calque imports: neither a folder with a config.json of Hugging Face "
      "transformers, nor one with a model.bin of CTranslate2 or an .npz of Marian, nor a file "
      ".gguf",
      place);
}

void import_model(const ImportArguments& arguments) {
  const std::string run = without_slash(arguments.run);
  const Imported from = import_place(without_slash(arguments.place));
  std::visit([&](const auto& model) { write_run(model, run); }, from);
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
  command->footer(
      "PLACE is a folder of Hugging Face transformers (MarianMT, Llama, GPT-NeoX, GPT-2 or BERT),\n"
      "a folder of CTranslate2, a folder or file .npz of Marian, or a file .gguf of llama.cpp "
      "that\n"
      "is not quantized.\n"
      "A model that calque cannot represent is refused. docs/interop.md has the formats.\n"
      "Example: calque import opus-mt-en-de --run runs/opus");
  command->callback([arguments] { import_model(*arguments); });
}

}  // namespace calque
