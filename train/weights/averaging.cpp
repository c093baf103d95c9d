#include "train/weights/averaging.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "train/config/load.h"
#include "train/storage/checkpoints.h"
#include "train/weights/derived_run.h"
#include "train/weights/parameter_tensors.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

// The folders of the first `count` of these steps.
std::vector<std::string> first(const Checkpoints& checkpoints, const std::vector<int64_t>& steps,
                               int64_t count, const std::string& run) {
  if (std::ssize(steps) < count) {
    fail(
        "{}: only {} of the {} requested checkpoints exist; training.keep_last and "
        "training.keep_best set how many are kept",
        run, steps.size(), count);
  }
  std::vector<std::string> folders;
  for (int64_t i = 0; i < count; ++i) {
    folders.push_back(checkpoints.folder(steps[static_cast<size_t>(i)]));
  }
  return folders;
}

// The text of a file; empty if it does not exist.
std::string text_at(const std::string& path) {
  constexpr uint64_t most_bytes = 1 << 28;
  return fs::exists(path) ? read_text(real_files(), path, most_bytes) : "";
}

// Whether both models have the same parameters, used in the same way.
bool same_model(Config a, Config b) {
  for (Config* config : {&a, &b}) {
    ModelConfig& model = config->model;
    model.preset = ModelConfig::Preset::none;
    model.dropout = model.attention_dropout = model.activation_dropout = 0;
    model.init_from.clear();
  }
  return a.task == b.task && a.model == b.model;
}

void require_same(const TrainedRun& run, const TrainedRun& first) {
  if (run.task->tokenizer_hash() != first.task->tokenizer_hash()) {
    fail("{}: its vocabulary differs from that of {}; average checkpoints with one vocabulary",
         run.weights.checkpoint, first.weights.checkpoint);
  }
  for (const SideFile& file : first.task->side_files()) {
    if (file.difference.empty()) continue;
    if (text_at((run.location.folder.*file.path)()) ==
        text_at((first.location.folder.*file.path)())) {
      continue;
    }
    fail("{}: its {} of {}; average {}", run.weights.checkpoint, file.difference,
         first.weights.checkpoint, file.advice);
  }
  if (!same_model(run.location.config, first.location.config)) {
    fail("{}: its model differs from that of {}; average checkpoints with one section `model`",
         run.weights.checkpoint, first.weights.checkpoint);
  }
}

}  // namespace

std::vector<std::string> last_checkpoints(const std::string& run, int64_t count) {
  const Checkpoints checkpoints(real_files(), run);
  std::vector<int64_t> steps = checkpoints.steps();
  if (steps.empty()) fail("{}: has no checkpoints; give a run's folder", run);
  std::erase(steps, 0);  // the initial weights
  return first(checkpoints, steps, count, run);
}

std::vector<std::string> best_checkpoints(const std::string& run, int64_t count) {
  const Checkpoints checkpoints(real_files(), run);
  const std::vector<int64_t> saved = checkpoints.steps();
  if (saved.empty()) fail("{}: has no checkpoint yet; train it first", run);
  std::vector<int64_t> steps;
  const TrainingState state = load_state(real_files(), checkpoints.folder(saved[0]));
  const Config config = parse_complete_config(state.config, "the checkpoint's config").config;
  const auto best = state.best.find(config.training.metric);
  if (best != state.best.end()) {
    for (const Score& score : best->second) {
      if (std::ranges::count(saved, score.step) > 0) steps.push_back(score.step);
    }
  }
  return first(checkpoints, steps, count, run);
}

void average_weights(const std::vector<std::string>& places, const std::string& out,
                     const MakeTask& make_task) {
  require_new_run(out);
  const TrainedRun first = open_run(places.front(), make_task);
  const std::span<real> mean = first.task->parameters().values();
  std::vector<double> sums(mean.begin(), mean.end());
  for (size_t i = 1; i < places.size(); ++i) {
    const TrainedRun run = open_run(places[i], make_task);
    require_same(run, first);
    const std::span<const real> own = run.task->parameters().values();
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += double(own[k]);
  }
  for (size_t k = 0; k < sums.size(); ++k) {
    mean[k] = static_cast<real>(sums[k] / static_cast<double>(places.size()));
  }
  TrainingState state = load_state(real_files(), first.weights.checkpoint);
  state.mean_of = std::ssize(places);
  state.int8 = false;  // the mean of rounded weights is not rounded
  save_derived_run(first, out, parameter_tensors(first.task->parameters()), state);
}

}  // namespace calque
