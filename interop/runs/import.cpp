#include "interop/runs/import.h"

#include <filesystem>

#include "core/compact_weights.h"
#include "core/error.h"
#include "core/products/compact/matrix.h"
#include "interop/formats.h"
#include "train/config/checks/check.h"
#include "train/config/fine_tuning.h"
#include "train/config/show.h"
#include "train/storage/checkpoints.h"
#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/images/run.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/masked_lm/run.h"
#include "train/tasks/run_tokenizers.h"
#include "train/tasks/translation/settings.h"
#include "train/weights/parameter_tensors.h"

namespace calque {
namespace {

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

// The settings of a damaged file may describe any size. Each number has at least one byte in the
// files, and one table there may fill two tables of the run.
void require_files_of(int64_t parameters, const std::string& place) {
  const int64_t bytes = bytes_of(place);
  if (parameters / 2 <= bytes) return;
  fail("{}: the settings describe a model of {} parameters, which files of {} bytes cannot hold",
       place, parameters, bytes);
}

TransformerOptions options_of(const Imported<Transformer>& from) {
  return transformer_options(from.config.model, from.source().size(), from.target().size());
}
LanguageModelOptions options_of(const Imported<LanguageModel>& from) {
  return language_model_options(from.config, from.source().size());
}
MaskedLmOptions options_of(const Imported<MaskedLm>& from) {
  return masked_lm_options(from.config, from.source().size());
}
ClassifierOptions options_of(const Imported<Classifier>& from) {
  return classifier_options(from.config, from.source().size(), std::ssize(from.labels));
}
VisionOptions options_of(const Imported<VisionTransformer>& from) {
  return vision_options(from.config, from.preparation.fit.shape, std::ssize(from.labels));
}

// Writes the tokenizers, and returns their paths in the finished run. Two equal ones are one file.
std::vector<std::string> write_tokenizers(const RunParts& from, const std::string& run,
                                          const ExportFolder& to) {
  std::vector<std::string> files;
  for (size_t i = 0; i < from.tokenizers.size(); ++i) {
    const bool joint = from.config.tokenizer.joint;
    if (joint && i > 0) break;
    const std::string ending = joint ? "" : i == 0 ? ".source" : ".target";
    from.tokenizers[i].save(to.file("tokenizer" + ending));
    files.push_back(Tokenizer::file_name(RunFolder{run}.tokenizer() + ending,
                                         from.tokenizers[i].options().kind));
  }
  return files;
}

// The parameters as tensors to be written, weights in a form.
class StoredWeights {
 public:
  StoredWeights(const Parameters& parameters, Precision form)
      : tensors_(parameter_tensors(parameters)) {
    if (form == Precision::full) return;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      auto compact = compact_weight(parameters.entries()[i], form);
      if (!compact) continue;
      tensors_[i].compact = compact.get();
      held_.push_back(std::move(compact));
    }
  }
  std::span<const NamedTensor> tensors() const { return tensors_; }

 private:
  std::vector<NamedTensor> tensors_;
  std::vector<std::unique_ptr<CompactMatrix>> held_;
};

void write_checkpoint(const RunParts& from, const std::string& config,
                      std::span<const NamedTensor> weights, const ExportFolder& to) {
  std::vector<Tokenizer> tokenizers = from.tokenizers;
  if (from.config.tokenizer.joint && !tokenizers.empty()) tokenizers.resize(1);
  TrainingState state;
  state.config = config;
  state.tokenizer_hash = tokenizers.empty() ? no_tokenizer_hash() : hash_of(tokenizers);
  state.versions = {{"calque", CALQUE_VERSION}};
  Checkpoints checkpoints(real_files(), to.file(""));
  checkpoints.save(weights, {}, state);
  try {
    for (const char* name : {"last", "best"}) checkpoints.link(name, state.step);
  } catch (const FileError&) {  // a file system without links: find_run() works without them
  }
}

// For continued training, a model that reads long texts gets windows of a usual length, which need
// less memory. A table of positions ties a model to its context.
Config with_usual_windows(Config config) {
  constexpr int64_t usual = 1024;
  if (config.task == TaskKind::language_model && config.model.positions == PositionKind::rotary &&
      config.data.context > usual) {
    config.data.context = usual;
    config.training.batch_tokens = TrainingConfig::usual_batch_tokens;
  }
  return config;
}

void write_run(const RunParts& from, const std::string& run, std::span<const NamedTensor> weights,
               ExportFolder& to) {
  Config config = from.config;
  config.tokenizer.files = write_tokenizers(from, run, to);
  config.model.init_from = run;
  complete(config);
  const std::string text = show_config(config);
  to.write("config.yaml", text);
  to.write("finetune.yaml", fine_tuning_text(with_usual_windows(config)));
  const RunFolder folder{to.file("")};
  if (!from.labels.empty()) save_labels(from.labels, folder);
  if (config.task == TaskKind::images) save_preparation(from.preparation, folder);
  write_checkpoint(from, text, weights, to);
  to.finish();
}

}  // namespace

void import_run(const std::string& place, const std::string& run) {
  const AnyImported imported = import_model(place);
  ExportFolder to(run);
  std::visit(
      [&]<class Model>(const Imported<Model>& from) {
        Parameters parameters;
        const Model model(Path(parameters), options_of(from));
        require_files_of(parameters.count(), place);
        parameters.allocate();
        from.fill(model);
        const StoredWeights stored(parameters, from.form);
        write_run(from, run, stored.tensors(), to);
      },
      imported);
}

}  // namespace calque
