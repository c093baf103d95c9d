#pragma once
// The checkpoints of a run: RUN/checkpoints/step-NNNNNN/, each with model.safetensors,
// optimizer.safetensors and state.json, which has the fingerprints of the other two. A checkpoint
// is written under a temporary name, synced to the disk and then renamed, so it is either complete
// or absent. RUN/best and RUN/last are symbolic links for users; no function here follows them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/storage/file_system.h"
#include "train/storage/safetensors.h"
#include "train/storage/training_state.h"

namespace calque {

struct LoadedCheckpoint {
  std::string folder;  // such as RUN/checkpoints/step-000500
  TrainingState state;
};

// A damaged checkpoint, and what is wrong with it.
struct DamagedCheckpoint {
  std::string folder;
  std::string problem;
};

class Checkpoints {
 public:
  Checkpoints(FileSystem& files, std::string run_folder);

  // Saves the state as the checkpoint of its step, with its checksums filled in. An existing
  // checkpoint of that step stays until the new one is on the disk. Without optimizer tensors the
  // checkpoint can be used, but training cannot be resumed from it. Throws an Error for values that
  // are not finite. After an Error the earlier checkpoints are unchanged.
  void save(std::span<const NamedTensor> model, std::span<const NamedTensor> optimizer,
            TrainingState state);

  // Replaces the state in the existing checkpoint of its step.
  void save_state(TrainingState state);

  // Loads the newest undamaged checkpoint; returns nothing if there are no checkpoints. The slots
  // are valid only after it returns. Lists newer, damaged checkpoints in `damaged`. Throws an Error
  // if all are damaged, if the checkpoint is from a newer calque or another model or lacks the
  // optimizer tensors, or if the disk cannot be read. Without optimizer slots, reads only the model
  // and the state. Changes nothing in the folder.
  std::optional<LoadedCheckpoint> load_newest(std::span<const TensorSlot> model,
                                              std::span<const TensorSlot> optimizer,
                                              std::vector<DamagedCheckpoint>& damaged) const;

  // During the next four functions, no other process may change the run (see RunLock).

  // Renames a damaged checkpoint to NAME.damaged, to make room for a new one.
  void set_aside(const DamagedCheckpoint& damaged);
  // Removes the remains of interrupted saves, and restores a checkpoint that an interrupted save
  // was replacing. To be called after set_aside().
  void remove_leftovers();
  // Removes all checkpoints except the newest `newest` ones (at least one), and those of the steps
  // `kept_steps`. `undamaged` is the step of one that was just saved or loaded; it also stays,
  // since the newest ones may be damaged.
  void prune(int64_t undamaged, int64_t newest, std::span<const int64_t> kept_steps);
  // Makes RUN/NAME a link to the checkpoint of that step.
  void link(const std::string& name, int64_t step);

  // The steps with a checkpoint, damaged or not, newest first.
  std::vector<int64_t> steps() const;
  std::string folder(int64_t step) const;

 private:
  std::vector<std::string> newest_first() const;
  FileSystem& files_;
  std::string run_, all_;
};

// Load one checkpoint, given by its folder. The Error for a damaged checkpoint names the file. The
// slots are valid only after load_checkpoint() returns.
TrainingState load_state(FileSystem& files, const std::string& folder);
TrainingState load_checkpoint(FileSystem& files, const std::string& folder,
                              std::span<const TensorSlot> model,
                              std::span<const TensorSlot> optimizer);

}  // namespace calque
