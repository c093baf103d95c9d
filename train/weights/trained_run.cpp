#include "train/weights/trained_run.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "train/config/load.h"
#include "train/storage/checkpoints.h"
#include "train/weights/adapter.h"
#include "train/weights/best_checkpoints.h"
#include "train/weights/parameter_tensors.h"
#include "train/weights/resume.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

// The run of a checkpoint: RUN/checkpoints/step-000100 or RUN/best.
std::string run_of_checkpoint(const fs::path& checkpoint) {
  const fs::path folder = fs::canonical(checkpoint).parent_path();
  return (folder.filename() == "checkpoints" ? folder.parent_path() : folder).string();
}

// The best existing checkpoint according to the newest state, for a copy of a run without links.
// Empty if there is no best checkpoint, or if it is the newest one.
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

// A folder with a checkpoint of the run, for the names and shapes of its tensors.
std::string some_checkpoint(const RunLocation& run) {
  if (run.is_checkpoint) return run.path;
  const Checkpoints checkpoints(real_files(), run.path);
  const std::vector<int64_t> steps = checkpoints.steps();
  if (steps.empty()) fail("{}: has no checkpoint yet; train it first", run.path);
  return checkpoints.folder(steps.front());
}

// Only training falls back to an earlier checkpoint by itself: a user must know which weights are
// loaded.
LoadedCheckpoint load_chosen(const RunLocation& run, const std::vector<TensorSlot>& slots) {
  const std::string folder = run.is_checkpoint ? run.path : best_checkpoint({run.path});
  if (!folder.empty()) return {folder, load_checkpoint(real_files(), folder, slots, {})};
  const Checkpoints checkpoints(real_files(), run.path);
  std::vector<DamagedCheckpoint> damaged;
  auto newest = checkpoints.load_newest(slots, {}, damaged);
  if (!newest) fail("{}: has no checkpoint yet; train it first", run.path);
  if (!damaged.empty()) {
    fail("{}; to use the checkpoint before, give {}", damaged.front().problem, newest->folder);
  }
  return std::move(*newest);
}

}  // namespace

std::vector<RunPlace> places(const std::vector<std::string>& paths,
                             std::optional<Precision> precision) {
  std::vector<RunPlace> all;
  for (const std::string& path : paths) all.emplace_back(path, precision);
  return all;
}

Config run_config(const RunFolder& run) {
  if (!fs::is_regular_file(run.config())) {
    fail("{}: not a run: it has no config.yaml; give the folder that calque train made", run.path);
  }
  return load_complete_config(run.config(), {}).config;
}

RunLocation find_run(const std::string& given) {
  const std::string path = without_slash(given);
  if (!fs::exists(path)) fail("{}: there is no such run", given);
  if (!fs::is_directory(path)) {
    fail("{}: is a file; give the folder of a run, or of one of its checkpoints", given);
  }
  const bool is_checkpoint = fs::exists(path + "/model.safetensors");
  const RunFolder folder{is_checkpoint ? run_of_checkpoint(path) : path};
  RunLocation run{folder, run_config(folder), {}, path, is_checkpoint};
  run.adapter = std::exchange(run.config.model.adapter, {});
  return run;
}

RunLocation find_run(const std::string& path, TaskKind task) {
  RunLocation run = find_run(path);
  if (run.config.task != task) {
    fail("{}: is a run of task: {}; a run of task: {} is needed", path,
         name_of(task_kinds, run.config.task), name_of(task_kinds, task));
  }
  return run;
}

std::string best_checkpoint(const RunFolder& run) {
  const std::string link = run.path + "/best";
  if (fs::exists(link)) return link;
  if (fs::is_symlink(fs::symlink_status(link))) {
    fail("{}: is a link to {}, which does not exist; restore it or give {}/last for the newest",
         link, fs::read_symlink(link).string(), run.path);
  }
  if (!fs::exists(run.config())) return "";
  return best_by_state(run_config(run), Checkpoints(real_files(), run.path));
}

LoadedWeights load_weights(const RunLocation& run, Parameters& parameters,
                           const std::string& tokenizer_hash) {
  const auto load = [&](const std::vector<TensorSlot>& slots) { return load_chosen(run, slots); };
  const LoadedCheckpoint loaded = run.adapter
                                      ? load_adapted(run, some_checkpoint(run), parameters, load)
                                      : load(parameter_slots(parameters));
  if (loaded.state.tokenizer_hash != tokenizer_hash) {
    fail(
        "{}: the run's tokenizer is not the one its checkpoint was trained with; restore the run's "
        "tokenizer files",
        run.folder.path);
  }
  return {loaded.folder, loaded.state.step, loaded.state.longest_input, loaded.state.int8};
}

Precision precision_in_use(const RunPlace& place, const RunLocation& run) {
  if (place.precision) return *place.precision;
  std::string folder = run.is_checkpoint ? run.path : best_checkpoint({run.path});
  if (folder.empty()) folder = some_checkpoint(run);
  Precision stored = Precision::full;
  try {
    const SafetensorsFile file(real_files(), folder + "/model.safetensors");
    stored = stored_precision(file.table());
  } catch (const Error&) {  // load_weights() reports it, and names the checkpoint before
  }
  return stored == Precision::full ? run.config.decoding.precision : stored;
}

TrainedRun open_run(const std::string& path, const MakeTask& make_task) {
  return open_run(find_run(path), make_task);
}

TrainedRun open_run(RunLocation location, const MakeTask& make_task) {
  TrainedRun run;
  run.location = std::move(location);
  run.task = make_task(run.location.config, run.location.folder, {TaskStart::Purpose::use});
  run.weights = load_weights(run.location, run.task->parameters(), run.task->tokenizer_hash());
  return run;
}

}  // namespace calque
