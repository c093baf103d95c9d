// calque import: makes a run of another engine's model.
#include "interop/ctranslate2/import.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "core/error.h"
#include "interop/export_folder.h"
#include "interop/gguf/import.h"
#include "interop/huggingface/import.h"
#include "interop/marian/import.h"
#include "train/config/checks/check.h"
#include "train/config/show.h"
#include "train/config/tasks.h"
#include "train/storage/checkpoints.h"
#include "train/tasks/classification/corpora.h"
#include "train/tasks/classification/run.h"
#include "train/tasks/images/run.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/masked_lm/run.h"
#include "train/tasks/run_tokenizers.h"
#include "train/tasks/task_model.h"
#include "train/tasks/translation/settings.h"
#include "train/weights/parameter_tensors.h"

namespace calque {
namespace {

struct ImportArguments {
  std::string place, run;
};

// Returns a config file that trains these weights further, with the keys that differ from the
// defaults of the task.
std::string fine_tuning_text(const Config& config) {
  Config usual;
  usual.task = config.task;
  task_info(usual.task).set_defaults(usual);
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

// Returns the size of a file, or of all files directly in a folder.
int64_t bytes_of(const std::string& place) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(place)) return static_cast<int64_t>(fs::file_size(place));
  int64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
    if (entry.is_regular_file()) bytes += static_cast<int64_t>(entry.file_size());
  }
  return bytes;
}

// Writes the run to a temporary folder, which finish() renames.
class NewRun {
 public:
  NewRun(const std::string& run, const std::string& place)
      : run_(run), place_(place), folder_(run_) {}

  // `ending` is part of the file's name: ".source", ".target", or "" for the only tokenizer.
  void add_tokenizer(const std::string& ending, const Tokenizer& tokenizer) {
    tokenizer.save(folder_.file("tokenizer" + ending));
    tokenizers_.push_back(tokenizer);
    files_.push_back(
        Tokenizer::file_name(RunFolder{run_}.tokenizer() + ending, tokenizer.options().kind));
  }

  void add_labels(const Labels& labels) { save_labels(labels, RunFolder{folder_.file("")}); }

  void add_preparation(const ImagePreparation& preparation) {
    save_preparation(preparation, RunFolder{folder_.file("")});
  }

  // Throws Error if the files are too small for the model: the settings of a damaged file may
  // describe any size. Each number has at least one byte in the files, and one table there may fill
  // two tables of the run.
  void require_files_of(int64_t parameters) const {
    const int64_t bytes = bytes_of(place_);
    if (parameters / 2 <= bytes) return;
    fail("{}: the settings describe a model of {} parameters, which files of {} bytes cannot hold",
         place_, parameters, bytes);
  }

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
    state.tokenizer_hash =
        config.task == TaskKind::images ? no_tokenizer_hash() : hash_of(tokenizers_);
    state.versions = {{"calque", CALQUE_VERSION}};
    checkpoints.save(parameter_tensors(parameters), {}, state);
    try {
      for (const char* name : {"last", "best"}) checkpoints.link(name, state.step);
    } catch (const FileError&) {  // a file system without links: find_run() works without them
    }
    folder_.finish();
  }

 private:
  std::string run_, place_;
  ExportFolder folder_;
  std::vector<Tokenizer> tokenizers_;
  std::vector<std::string> files_;
};

template <class Model, class From>
void write_model(NewRun& to, const From& from, const typename TaskModel<Model>::Options& options) {
  Parameters parameters;
  const Model model(Path(parameters), options);
  to.require_files_of(parameters.count());
  parameters.allocate();
  from.fill(model);
  to.finish(from.config, parameters);
}

void write_run(const ImportedTranslator& from, NewRun& to) {
  const bool joint = from.config.tokenizer.joint;
  to.add_tokenizer(joint ? "" : ".source", from.source);
  if (!joint) to.add_tokenizer(".target", from.target);
  write_model<Transformer>(
      to, from, transformer_options(from.config.model, from.source.size(), from.target.size()));
}

void write_run(const ImportedLanguageModel& from, NewRun& to) {
  to.add_tokenizer("", from.tokenizer);
  write_model<LanguageModel>(to, from, language_model_options(from.config, from.tokenizer.size()));
}

void write_run(const ImportedMaskedLm& from, NewRun& to) {
  to.add_tokenizer("", from.tokenizer);
  write_model<MaskedLm>(to, from, masked_lm_options(from.config, from.tokenizer.size()));
}

void write_run(const ImportedClassifier& from, NewRun& to) {
  to.add_tokenizer("", from.tokenizer);
  to.add_labels(from.labels);
  write_model<Classifier>(
      to, from, classifier_options(from.config, from.tokenizer.size(), std::ssize(from.labels)));
}

void write_run(const ImportedImageModel& from, NewRun& to) {
  to.add_labels(from.labels);
  to.add_preparation({from.fit, from.mean, from.deviation});
  write_model<VisionTransformer>(
      to, from, vision_options(from.config, from.fit.shape, std::ssize(from.labels)));
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
  const std::string place = without_slash(arguments.place);
  const Imported from = import_place(place);
  NewRun to(run, place);
  std::visit([&](const auto& model) { write_run(model, to); }, from);
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
      "PLACE is a folder of Hugging Face transformers (MarianMT, Llama, GPT-NeoX, GPT-2, BERT or\n"
      "ViT), a folder of CTranslate2, a folder or file .npz of Marian, or a file .gguf of\n"
      "llama.cpp that is not quantized.\n"
      "A model that calque cannot represent is refused. docs/interop.md has the formats.\n"
      "Example: calque import opus-mt-en-de --run runs/opus");
  command->callback([arguments] { import_model(*arguments); });
}

}  // namespace calque
