// Reads checkpoints. If one is damaged, load_newest() tries the one before it.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/error.h"
#include "train/storage/checkpoints.h"

namespace calque {
namespace {

// Disk failures and missing files affect a single checkpoint. Other failures, such as missing
// permissions or too many open files, would affect every checkpoint.
bool is_damage(const FileError& error) {
  constexpr std::array damage{EIO,   ENOENT,  ENOTDIR, EISDIR, ENODEV,    ELOOP,
                              ENXIO, ENODATA, EBADMSG, ESTALE, EOVERFLOW, EUCLEAN};
  return std::ranges::find(damage, error.code()) != damage.end();
}

const Fingerprint& recorded(const TrainingState& state, const std::string& folder,
                            const std::string& name) {
  const auto found = state.checksums.find(name);
  if (found != state.checksums.end()) return found->second;
  throw Mismatch(fmt::format(
      "{}: has no {}, so training cannot be resumed from it; start from its weights with "
      "model.init_from",
      folder, name));
}

void load_tensors(FileSystem& files, const std::string& folder, const std::string& name,
                  const TrainingState& state, std::span<const TensorSlot> wanted) {
  const Fingerprint& saved = recorded(state, folder, name);
  const SafetensorsFile file(files, folder + "/" + name);
  const std::vector<std::string> problems = differences(file.table(), wanted);
  const auto present = problems.empty() ? wanted : std::span<const TensorSlot>();
  if (file.read(present) != saved) {
    fail("{}/{}: damaged: its contents are not those that were saved", folder, name);
  }
  if (!problems.empty()) {
    throw Mismatch(fmt::format("{}/{}: was saved from another model: {}", folder, name,
                               fmt::join(problems, "; ")));
  }
  if (const auto bad = first_not_finite(present)) {
    fail("{}/{}: {} holds a value that is infinite or not a number", folder, name, *bad);
  }
}

// Refuses a folder that was renamed by hand: its state has another step.
void require_step(const TrainingState& state, const std::string& folder) {
  const std::string name = folder.substr(folder.rfind('/') + 1);
  const std::string right = fmt::format("step-{:06}", state.step);
  if (name != right && name != right + ".old") {
    fail("{}: holds the checkpoint of step {}; rename it back to {}", folder, state.step, right);
  }
}

}  // namespace

TrainingState load_state(FileSystem& files, const std::string& folder) {
  const std::string path = folder + "/state.json";
  return parse_state(read_text(files, path, largest_state), path);
}

TrainingState load_checkpoint(FileSystem& files, const std::string& folder,
                              std::span<const TensorSlot> model,
                              std::span<const TensorSlot> optimizer) {
  TrainingState state = load_state(files, folder);
  load_tensors(files, folder, "model.safetensors", state, model);
  if (!optimizer.empty()) load_tensors(files, folder, "optimizer.safetensors", state, optimizer);
  return state;
}

std::optional<LoadedCheckpoint> Checkpoints::load_newest(
    std::span<const TensorSlot> model, std::span<const TensorSlot> optimizer,
    std::vector<DamagedCheckpoint>& damaged) const {
  const std::vector<std::string> names = newest_first();
  for (const std::string& name : names) {
    const std::string folder = all_ + "/" + name;
    try {
      TrainingState state = load_checkpoint(files_, folder, model, optimizer);
      require_step(state, folder);
      return LoadedCheckpoint{folder, std::move(state)};
    } catch (const Mismatch&) {
      throw;
    } catch (const FileError& error) {
      if (!is_damage(error)) throw;
      if (!exists(files_, folder)) {
        // A process that is training has removed it, so there is a newer checkpoint.
        damaged.clear();
        return load_newest(model, optimizer, damaged);
      }
      damaged.push_back({folder, error.what()});
    } catch (const Error& error) {
      damaged.push_back({folder, error.what()});
    }
  }
  if (names.empty()) return std::nullopt;
  fail("{}: all {} checkpoints are damaged; the newest: {}", all_, names.size(),
       damaged.front().problem);
}

}  // namespace calque
