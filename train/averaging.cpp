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

// In the versions of what wrote a state, for states whose weights no training has had.
const std::string mean_mark = "weights";

// The folders of the first `count` of these steps.
std::vector<std::string> first(const Checkpoints& checkpoints, const std::vector<int64_t>& steps,
                               int64_t count, const std::string& run) {
  if (std::ssize(steps) < count) {
    fail(
        "{}: has {} such checkpoints, not {}; training.keep_last and training.keep_best say how "
        "many are kept",
        run, steps.size(), count);
  }
  std::vector<std::string> folders;
  for (int64_t i = 0; i < count; ++i) {
    folders.push_back(checkpoints.folder(steps[static_cast<size_t>(i)]));
  }
  return folders;
}

// Everything of the run that a translator needs beside the weights.
void copy_surroundings(const RunFolder& from, const std::string& to) {
  make_folder(real_files(), to);
  fs::copy_file(from.config(), RunFolder{to}.config());
  for (const auto& entry : fs::directory_iterator(from.path)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("tokenizer.")) fs::copy_file(entry.path(), fs::path(to) / name);
  }
}

// Where the weights of the one mean what they mean in the other.
bool same_model(TransformerOptions a, TransformerOptions b) {
  for (TransformerOptions* options : {&a, &b}) {
    options->dropout = options->attention_dropout = options->activation_dropout = 0;
  }
  return a == b;
}

void require_same(const TrainedRun& run, const TrainedRun& first) {
  if (run.tokenizers.hash() != first.tokenizers.hash()) {
    fail("{}: has another vocabulary than {}; a mean needs the same", run.checkpoint,
         first.checkpoint);
  }
  if (!same_model(run.model->transformer.options, first.model->transformer.options)) {
    fail("{}: is another model than {}; a mean needs the same section `model`", run.checkpoint,
         first.checkpoint);
  }
}

}  // namespace

bool is_mean(const TrainingState& state) { return state.versions.contains(mean_mark); }

std::vector<std::string> last_checkpoints(const std::string& run, int64_t count) {
  const Checkpoints checkpoints(real_files(), run);
  std::vector<int64_t> steps = checkpoints.steps();
  if (steps.empty()) fail("{}: has no checkpoints; give a run's folder", run);
  std::erase(steps, 0);  // nothing was learned there
  return first(checkpoints, steps, count, run);
}

std::vector<std::string> best_checkpoints(const std::string& run, int64_t count) {
  const Checkpoints checkpoints(real_files(), run);
  const std::vector<int64_t> there = checkpoints.steps();
  if (there.empty()) fail("{}: has no checkpoint yet; train it first", run);
  std::vector<int64_t> steps;
  const TrainingState state = load_state(real_files(), checkpoints.folder(there[0]));
  const Config config = parse_complete_config(state.config, "the checkpoint's config").config;
  const auto best = state.best.find(write_value(config.training.metric));
  if (best != state.best.end()) {
    for (const Score& score : best->second) {
      if (std::ranges::count(there, score.step) > 0) steps.push_back(score.step);
    }
  }
  return first(checkpoints, steps, count, run);
}

void average_weights(const std::vector<std::string>& places, const std::string& out) {
  if (fs::exists(fs::symlink_status(out))) fail("{}: exists already; choose another --out", out);
  const TrainedRun first = open_run(places.front());
  const std::span<real> mean = first.model->parameters.values();
  std::vector<double> sums(mean.begin(), mean.end());
  for (size_t i = 1; i < places.size(); ++i) {
    const TrainedRun run = open_run(places[i]);
    require_same(run, first);
    const std::span<const real> own = run.model->parameters.values();
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += double(own[k]);
  }
  for (size_t k = 0; k < sums.size(); ++k) {
    mean[k] = static_cast<real>(sums[k] / static_cast<double>(places.size()));
  }
  TrainingState state = load_state(real_files(), first.checkpoint);
  state.best.clear();  // those were scores of the checkpoints, not of their mean
  state.versions[mean_mark] = fmt::format("the mean of {} checkpoints", places.size());
  copy_surroundings(first.folder, out);
  Checkpoints checkpoints(real_files(), out);
  checkpoints.save(first.model->tensors(), {}, state);
  try {
    checkpoints.link("last", state.step);
  } catch (const FileError&) {  // a disk without links: the folder itself does as well
  }
}

}  // namespace calque
