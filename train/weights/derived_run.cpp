#include "train/weights/derived_run.h"

#include <filesystem>

#include "core/error.h"
#include "train/config/show.h"
#include "train/storage/checkpoints.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

// Writes the config, and copies the tokenizers and the task's side files.
void copy_surroundings(const TrainedRun& run, const std::string& to) {
  const RunFolder& from = run.location.folder;
  make_folder(real_files(), to);
  replace_text(real_files(), RunFolder{to}.config(), show_config(run.location.config));
  for (const auto& entry : fs::directory_iterator(from.path)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("tokenizer.")) fs::copy_file(entry.path(), fs::path(to) / name);
  }
  for (const SideFile& file : run.task->side_files()) {
    const std::string path = (from.*file.path)();
    if (file.difference.empty() && !fs::exists(path)) continue;
    fs::copy_file(path, (RunFolder{to}.*file.path)());
  }
}

}  // namespace

void require_new_run(const std::string& out) {
  if (fs::exists(fs::symlink_status(out))) fail("{}: exists already; choose another --out", out);
}

void save_derived_run(const TrainedRun& run, const std::string& out,
                      std::span<const NamedTensor> weights, TrainingState state) {
  state.best.clear();  // scores of single checkpoints
  state.retired.clear();
  state.config = show_config(run.location.config);
  if (!run.location.config.model.adapter) state.base = {};
  copy_surroundings(run, out);
  Checkpoints checkpoints(real_files(), out);
  checkpoints.save(weights, {}, state);
  try {
    checkpoints.link("last", state.step);
  } catch (const FileError&) {  // a file system without links: open_run() works without them
  }
}

}  // namespace calque
