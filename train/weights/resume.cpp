#include "train/weights/resume.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "train/config/load.h"
#include "train/config/show.h"

namespace calque {

std::optional<TrainingState> newest_state(const Checkpoints& checkpoints) {
  for (const int64_t step : checkpoints.steps()) {
    try {
      return load_state(real_files(), checkpoints.folder(step));
    } catch (const Mismatch&) {
      throw;
    } catch (const Error&) {  // damaged: reported when the checkpoint is loaded
    }
  }
  return std::nullopt;
}

void refuse_lost_checkpoints(const RunFolder& run) {
  std::error_code not_there;
  const auto size = std::filesystem::file_size(run.metrics(), not_there);
  if (!not_there && size > 0) {
    fail(
        "{}: belongs to a run whose checkpoints are missing; put them back into {}, or start again "
        "with --fresh",
        run.metrics(), run.checkpoints());
  }
}

Config config_of(const TrainingState& state) {
  return parse_complete_config(state.config, "the checkpoint's config").config;
}

Config with_chosen_batch(Config config, const TrainingState& state) {
  if (config.training.chooses_batch()) {
    config.training.batch_tokens = config_of(state).training.batch_tokens;
  }
  return config;
}

std::vector<std::string> check_same_settings(const TrainingState& state, const Config& config) {
  if (state.mean_of > 0) {
    fail(
        "the run is an average of checkpoints and cannot be resumed; start another run from it "
        "with "
        "model.init_from");
  }
  if (state.int8) {
    fail(
        "the run has weights in int8 and cannot be resumed; resume the run that calque quantize "
        "rounded");
  }
  std::vector<std::string> notes;
  std::string harmful;
  for (const ConfigDifference& d :
       config_differences(config_of(state), with_chosen_batch(config, state))) {
    const std::string change = fmt::format("{}: {} -> {}", d.key, d.before, d.now);
    if (d.on_resume == OnResume::harmful) {
      harmful += (harmful.empty() ? "" : ", ") + change;
    } else {
      notes.push_back("changed since the checkpoint: " + change);
    }
  }
  if (!harmful.empty()) {
    fail("the run cannot be resumed with these changes: {}; undo them, or start again with --fresh",
         harmful);
  }
  return notes;
}

std::vector<std::string> retire_incomparable_scores(TrainingState& state, const Config& before,
                                                    const Config& config, const Task& task) {
  std::vector<std::string> notes;
  for (const MetricInfo& metric : task.metrics()) {
    const auto found = state.best.find(metric.name);
    if (found == state.best.end()) continue;
    if (task.measured_by(metric, before) == task.measured_by(metric, config)) continue;
    state.retired.push_back({metric.name, state.step, std::move(found->second)});
    state.best.erase(found);
    notes.push_back(fmt::format(
        "validation has changed: the best {} is determined from now on; the checkpoints that were "
        "the best are kept",
        metric.name));
    if (metric.name == config.training.metric) state.early_stopping.without_gain = 0;
    if (metric.name == config.training.until.goal.metric) state.goal_reached.clear();
  }
  if (before.training.metric != config.training.metric) state.early_stopping.without_gain = 0;
  return notes;
}

void check_same_data(const TrainingState& state, const std::string& tokenizer_hash,
                     const std::string& data_hash) {
  if (tokenizer_hash != state.tokenizer_hash) {
    fail(
        "the run's tokenizer is not the one its checkpoint was trained with; restore the run's "
        "tokenizer files, or start again with --fresh");
  }
  if (data_hash != state.data_hash) {
    fail(
        "the training data is not what the checkpoint was trained on; restore it, start again with "
        "--fresh, or fine-tune from this run with model.init_from");
  }
}

}  // namespace calque
