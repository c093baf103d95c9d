#include "train/trained_run.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "train/best_checkpoints.h"
#include "train/config/load.h"
#include "train/resume.h"
#include "train/settings.h"
#include "train/storage/checkpoints.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

// The run that a checkpoint lies in: RUN/checkpoints/step-000100 or RUN/best.
std::string run_of_checkpoint(const fs::path& checkpoint) {
  const fs::path folder = fs::canonical(checkpoint).parent_path();
  return (folder.filename() == "checkpoints" ? folder.parent_path() : folder).string();
}

// The best checkpoint that there still is, by what the newest state remembers: for copies of a run
// that have lost their links. Empty if there is none, or it is the newest.
std::string best_by_state(const Config& config, const Checkpoints& checkpoints) {
  const auto state = newest_state(checkpoints);
  if (!state) return "";
  const std::vector<int64_t> steps = checkpoints.steps();
  for (const Score& score : best_scores(config.training, *state)) {
    if (score.step == steps.front()) return "";
    if (std::ranges::count(steps, score.step) > 0) return checkpoints.folder(score.step);
  }
  return "";
}

// Fills the model. Only training goes back behind a damaged checkpoint by itself: whoever uses a
// run is to know which weights they are.
LoadedCheckpoint load_weights(const std::string& place, bool is_checkpoint, const Config& config,
                              TranslationModel& model) {
  const Checkpoints checkpoints(real_files(), place);
  std::string folder = is_checkpoint ? place : place + "/best";
  if (!fs::exists(fs::symlink_status(folder))) folder = best_by_state(config, checkpoints);
  if (fs::exists(folder)) {
    return {folder, load_checkpoint(real_files(), folder, model.targets(), {})};
  }
  if (fs::is_symlink(fs::symlink_status(folder))) {
    fail("{}: leads to {}, which is not there; restore it, or give {}/last for the newest", folder,
         fs::read_symlink(folder).string(), place);
  }
  std::vector<DamagedCheckpoint> damaged;
  auto newest = checkpoints.load_newest(model.targets(), {}, damaged);
  if (!newest) fail("{}: has no checkpoint yet; train it first", place);
  if (!damaged.empty()) {
    fail("{}; to use the one before, give {}", damaged.front().problem, newest->folder);
  }
  return std::move(*newest);
}

}  // namespace

Config run_config(const RunFolder& run) {
  if (!fs::is_regular_file(run.config())) {
    fail("{}: not a run: it has no config.yaml; give the folder that calque train made", run.path);
  }
  return load_complete_config(run.config(), {}).config;
}

TrainedRun open_run(const std::string& place) {
  const std::string path = without_slash(place);
  if (!fs::exists(path)) fail("{}: there is no such run", place);
  if (!fs::is_directory(path)) {
    fail("{}: is a file; give the folder of a run, or of one of its checkpoints", place);
  }
  const bool is_checkpoint = fs::exists(path + "/model.safetensors");
  TrainedRun run;
  run.folder = {is_checkpoint ? run_of_checkpoint(path) : path};
  run.config = run_config(run.folder);
  run.tokenizers = load_tokenizers(run.config, run.folder);
  run.model = std::make_unique<TranslationModel>(transformer_options(
      run.config.model, run.tokenizers.source.size(), run.tokenizers.target.size()));
  const LoadedCheckpoint loaded = load_weights(path, is_checkpoint, run.config, *run.model);
  if (loaded.state.tokenizer_hash != run.tokenizers.hash()) {
    fail(
        "{}: the run's tokeniser is not the one its checkpoint was trained with; restore the run's "
        "tokenizer files",
        run.folder.path);
  }
  run.checkpoint = loaded.folder;
  run.step = loaded.state.step;
  return run;
}

std::vector<TrainedRun> open_runs(const std::vector<std::string>& places) {
  std::vector<TrainedRun> runs;
  for (const std::string& place : places) {
    runs.push_back(open_run(place));
    if (runs.back().tokenizers.hash() != runs.front().tokenizers.hash()) {
      fail("{}: has another vocabulary than {}; models that translate together need the same",
           runs.back().folder.path, runs.front().folder.path);
    }
  }
  return runs;
}

std::vector<const Transformer*> models_of(const std::vector<TrainedRun>& runs) {
  std::vector<const Transformer*> models;
  models.reserve(runs.size());
  for (const TrainedRun& run : runs) models.push_back(&run.model->transformer);
  return models;
}

}  // namespace calque
