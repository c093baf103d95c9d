// The functions that change the folder of checkpoints. The names in this folder:
//   step-000500          a checkpoint
//   step-000500.old      a checkpoint, while a new one of the same step replaces it
//   step-000500.tmp      being written or removed; useless after a crash
//   step-000500.damaged  a damaged checkpoint, kept for inspection
#include "train/storage/checkpoints.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <set>

#include "core/error.h"
#include "train/storage/run_folder.h"

namespace calque {
namespace {

std::string name_of(int64_t step) { return fmt::format("step-{:06}", step); }

// The step of "step-000500" and "step-000500.old"; none for other names.
std::optional<int64_t> step_of(std::string_view name) {
  if (name.ends_with(".old")) name.remove_suffix(4);
  constexpr std::string_view prefix = "step-";
  if (!name.starts_with(prefix)) return std::nullopt;
  int64_t step = 0;
  const char* end = name.data() + name.size();
  std::from_chars(name.data() + prefix.size(), end, step);
  return step >= 0 && name == name_of(step) ? std::optional(step) : std::nullopt;
}

bool is_temporary(std::string_view name) {
  return name.starts_with("step-") && name.ends_with(".tmp");
}

void write_checkpoint(FileSystem& files, const std::string& folder,
                      std::span<const NamedTensor> model, std::span<const NamedTensor> optimizer,
                      TrainingState& state) {
  make_subfolder(files, folder);
  const auto write = [&](const std::string& name, std::span<const NamedTensor> tensors) {
    state.checksums[name] =
        write_safetensors(files, folder + "/" + name, tensors,
                          {{"format", "calque"}, {"step", fmt::to_string(state.step)}});
  };
  state.checksums.clear();
  write("model.safetensors", model);
  if (!optimizer.empty()) write("optimizer.safetensors", optimizer);
  write_text(files, folder + "/state.json", format_state(state));
  sync_folder(files, folder);
}

void require_finite(std::span<const NamedTensor> tensors, const std::string& folder) {
  if (const auto name = first_not_finite(tensors)) {
    fail("{}: not saved: {} holds a value that is infinite or not a number", folder, *name);
  }
}

}  // namespace

Checkpoints::Checkpoints(FileSystem& files, std::string run_folder)
    : files_(files), run_(without_slash(std::move(run_folder))), all_(run_ + "/checkpoints") {}

std::string Checkpoints::folder(int64_t step) const { return all_ + "/" + name_of(step); }

void Checkpoints::save(std::span<const NamedTensor> model, std::span<const NamedTensor> optimizer,
                       TrainingState state) {
  const std::string final = folder(state.step), beside = final + ".tmp", old = final + ".old";
  require_finite(model, final);
  require_finite(optimizer, final);
  make_subfolder(files_, all_);
  remove_all(files_, beside);
  bool replacing = false;
  try {
    write_checkpoint(files_, beside, model, optimizer, state);
    replacing = exists(files_, final);
    if (replacing) {
      remove_all(files_, old);
      rename(files_, final, old);
      sync_folder(files_, all_);
    }
    rename(files_, beside, final);
  } catch (const Error&) {
    // Restores the folder as far as possible; the message is that of the first failure.
    try {
      if (replacing && !exists(files_, final)) rename(files_, old, final);
      remove_all(files_, beside);
    } catch (const FileError&) {
    }
    throw;
  }
  sync_folder(files_, all_);
  if (exists(files_, old)) remove_all(files_, old);
}

void Checkpoints::save_state(TrainingState state) {
  const std::string of = folder(state.step);
  state.checksums = load_state(files_, of).checksums;
  replace_text(files_, of + "/state.json", format_state(state));
}

void Checkpoints::remove_leftovers() {
  if (!exists(files_, all_)) return;
  for (const std::string& name : list_folder(files_, all_)) {
    if (is_temporary(name)) remove_all(files_, all_ + "/" + name);
  }
  for (const std::string& name : newest_first()) {
    const std::string plain = folder(*step_of(name));
    if (!exists(files_, plain)) rename(files_, all_ + "/" + name, plain);
  }
}

void Checkpoints::set_aside(const DamagedCheckpoint& damaged) {
  const std::string aside = damaged.folder + ".damaged";
  remove_all(files_, aside);
  rename(files_, damaged.folder, aside);
  sync_folder(files_, all_);
}

void Checkpoints::prune(int64_t undamaged, int64_t newest, std::span<const int64_t> kept_steps) {
  std::set<int64_t> kept(kept_steps.begin(), kept_steps.end());
  kept.insert(undamaged);
  const std::vector<int64_t> all = steps();
  const int64_t count = std::min(std::max<int64_t>(newest, 1), std::ssize(all));
  kept.insert(all.begin(), all.begin() + count);
  for (const std::string& name : newest_first()) {
    if (kept.contains(*step_of(name))) continue;
    // Renames it first, so that its remains after a crash do not look like a checkpoint.
    const std::string temporary = all_ + "/" + name + ".tmp";
    remove_all(files_, temporary);
    rename(files_, all_ + "/" + name, temporary);
    remove_all(files_, temporary);
  }
}

void Checkpoints::link(const std::string& name, int64_t step) {
  const std::string path = run_ + "/" + name, beside = path + ".tmp";
  remove_all(files_, beside);
  const int result = files_.make_link("checkpoints/" + name_of(step), beside);
  if (result < 0) throw FileError(path, "make the link", -result);
  rename(files_, beside, path);
}

std::vector<std::string> Checkpoints::newest_first() const {
  std::vector<std::string> names;
  if (exists(files_, all_)) names = list_folder(files_, all_);
  std::erase_if(names, [](const std::string& name) { return !step_of(name); });
  // For the same step, the plain name comes before ".old".
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return std::pair(-*step_of(a), a) < std::pair(-*step_of(b), b);
  });
  return names;
}

std::vector<int64_t> Checkpoints::steps() const {
  std::vector<int64_t> steps;
  for (const std::string& name : newest_first()) steps.push_back(*step_of(name));
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace calque
