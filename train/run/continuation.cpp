#include "train/run/continuation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ranges>
#include <vector>

#include "core/error.h"
#include "train/run/milestones.h"
#include "train/settings.h"
#include "train/weights/resume.h"

namespace calque {
namespace {

double completed(const Config& config, const TrainingState& state) {
  return share_done(config.training.until, state, static_cast<double>(state.epoch));
}

bool has_ended(const Config& config, const TrainingState& state) {
  return completed(config, state) >= 1 || out_of_patience(config.training, state);
}

// Whether the folder holds a run of the config with something left to train.
bool can_continue(const std::string& folder, const Config& config) {
  try {
    const auto state = newest_state(Checkpoints(real_files(), folder));
    if (!state) return false;
    check_same_settings(*state, config);
    return !has_ended(config, *state);
  } catch (const Error&) {  // a run of another config
    return false;
  }
}

std::string folder_to_continue(const std::string& path, const Config& config) {
  std::vector<std::string> folders;
  const std::string unused = unused_run_folder(path);
  for (std::string each = path; each != unused;) {
    folders.push_back(each);
    each = fmt::format("{}-{}", path, folders.size() + 1);
  }
  if (folders.size() < 2) return path;
  for (const std::string& folder : folders | std::views::reverse) {
    if (can_continue(folder, config)) return folder;
  }
  return path;
}

// The rate of the update after `updates`.
double rate_after(const Config& config, TrainingState state, int64_t updates) {
  state.optimizer_step = updates;
  return learning_rate(schedule_of(config), updates + 1, completed(config, state));
}

}  // namespace

std::string folder_to_train_in(const std::string& config_path, const std::string& run, bool fresh,
                               const Config& config) {
  const std::string folder = run.empty() ? default_run_folder(config_path) : without_slash(run);
  if (fresh) return unused_run_folder(folder);
  return run.empty() ? folder_to_continue(folder, config) : folder;
}

std::string changed_rate_note(const TrainingState& state, const Config& config,
                              const std::string& run) {
  constexpr double little = 0.2;
  const Config before = config_of(state);
  const int64_t updates = state.optimizer_step;
  if (updates == 0) return "";
  const double was = rate_after(before, state, updates), now = rate_after(config, state, updates);
  if (std::abs(now - was) <= little * std::max(now, was)) return "";
  std::string note = fmt::format(
      "the learning rate goes from {:.2g} to {:.2g}: the schedule now fits the changed settings",
      rate_after(before, state, updates - 1), now);
  if (completed(before, state) >= 1) {
    note += fmt::format(
        "; to train the finished weights further instead, start another run with --fresh --set "
        "model.init_from={}",
        run);
  }
  return note;
}

}  // namespace calque
