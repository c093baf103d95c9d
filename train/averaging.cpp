#include "train/averaging.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "train/config/load.h"
#include "train/config/values.h"
#include "train/storage/checkpoints.h"
#include "train/trained_run.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

std::vector<int64_t> first(std::vector<int64_t> steps, int64_t count, const std::string& run) {
  if (std::ssize(steps) < count) {
    fail(
        "{}: has {} such checkpoints, not {}; training.keep_last and training.keep_best say how "
        "many are kept",
        run, steps.size(), count);
  }
  steps.resize(static_cast<size_t>(count));
  return steps;
}

// Everything of the run that a translator needs beside the weights.
void copy_surroundings(const RunFolder& from, const std::string& to) {
  if (fs::exists(to)) fail("{}: exists already; choose another --out", to);
  make_folder(real_files(), to);
  fs::copy_file(from.config(), RunFolder{to}.config());
  for (const auto& entry : fs::directory_iterator(from.path)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("tokenizer.")) fs::copy_file(entry.path(), fs::path(to) / name);
  }
}

}  // namespace

std::vector<int64_t> last_steps(const std::string& run, int64_t count) {
  std::vector<int64_t> steps = Checkpoints(real_files(), run).steps();
  if (steps.empty()) fail("{}: has no checkpoints; give a run's folder", run);
  std::erase(steps, 0);  // nothing was learned there
  return first(std::move(steps), count, run);
}

std::vector<int64_t> best_steps(const std::string& run, int64_t count) {
  const Checkpoints checkpoints(real_files(), run);
  const std::vector<int64_t> there = checkpoints.steps();
  if (there.empty()) fail("{}: has no checkpoint yet; train it first", run);
  std::vector<int64_t> steps;
  const TrainingState state = load_state(real_files(), checkpoints.folder(there[0]));
  const Config config = parse_config(state.config, "the checkpoint's config").config;
  const auto best = state.best.find(write_value(config.training.metric));
  if (best != state.best.end()) {
    for (const Score& score : best->second) {
      if (std::ranges::count(there, score.step) > 0) steps.push_back(score.step);
    }
  }
  return first(steps, count, run);
}

void average_checkpoints(const std::string& run, const std::vector<int64_t>& steps,
                         const std::string& out) {
  const Checkpoints checkpoints(real_files(), run);
  TrainedRun opened = open_run(checkpoints.folder(steps.front()));
  TranslationModel& model = *opened.model;
  std::vector<double> sums(model.parameters.values().size());
  TrainingState state;  // of the newest
  for (const int64_t step : steps) {
    TrainingState own =
        load_checkpoint(real_files(), checkpoints.folder(step), model.targets(), {});
    if (own.step >= state.step) state = std::move(own);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += double(model.parameters.values()[i]);
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    model.parameters.values()[i] = static_cast<real>(sums[i] / static_cast<double>(steps.size()));
  }
  state.best.clear();  // those were scores of the checkpoints, not of their mean
  copy_surroundings(opened.folder, out);
  Checkpoints(real_files(), out).save(model.tensors(), {}, state);
}

}  // namespace calque
