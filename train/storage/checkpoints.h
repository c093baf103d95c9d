#pragma once
// The checkpoints of a run: RUN/checkpoints/step-NNNNNN/, each with model.safetensors,
// optimizer.safetensors and state.json, which holds the fingerprints of the other two. One is
// written beside under a temporary name, synced to the disk, and only then renamed: it is there
// whole, or it is not there. RUN/best and RUN/last are links for people; nothing here ever follows
// them.

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

// A checkpoint that is not whole, and what is wrong with it.
struct DamagedCheckpoint {
  std::string folder;
  std::string problem;
};

class Checkpoints {
 public:
  Checkpoints(FileSystem& files, std::string run_folder);

  // Saves the state as the checkpoint of its step; fills in its checksums. One of the same step
  // that is there already stays until the new one is on the disk. Without optimizer tensors the
  // checkpoint can be used, but training cannot be resumed from it. Refuses values that are not
  // finite. After an Error the earlier checkpoints are what they were.
  void save(std::span<const NamedTensor> model, std::span<const NamedTensor> optimizer,
            TrainingState state);

  // Replaces what the checkpoint of the state's step, which is there, says beside its tensors.
  void save_state(TrainingState state);

  // Loads the newest checkpoint that is whole; none if there are no checkpoints at all. The targets
  // hold its values only when this has returned. Newer ones that are damaged are told in `damaged`;
  // if there are only such, or the newest whole one is of a newer calque or its tensors are not
  // those that are wanted, or the disk cannot be read for another reason, that is an Error. With no
  // optimizer targets, only the model is looked at. Changes nothing in the folder.
  std::optional<LoadedCheckpoint> load_newest(std::span<const TensorSlot> model,
                                              std::span<const TensorSlot> optimizer,
                                              std::vector<DamagedCheckpoint>& damaged) const;

  // What follows is for the one process that holds the run's lock.

  // Renames a damaged checkpoint to NAME.damaged: kept, but no longer in the way of new ones.
  void set_aside(const DamagedCheckpoint& damaged);
  // Removes what interrupted saves have left, after the damaged ones have been set aside.
  void remove_leftovers();
  // Removes checkpoints other than the `last` newest (at least one), and those of the `also` steps;
  // never the one of step `whole`, which is known to be good.
  void prune(int64_t whole, int64_t last, std::span<const int64_t> also);
  // Makes RUN/NAME a link to the checkpoint of that step.
  void link(const std::string& name, int64_t step);

  // The steps that have a checkpoint, whole or not, newest first.
  std::vector<int64_t> steps() const;
  std::string folder(int64_t step) const;

 private:
  std::vector<std::string> newest_first() const;
  FileSystem& files_;
  std::string run_, all_;
};

// One checkpoint, given by its folder. The errors of a damaged one name the file; the targets hold
// its values only when this has returned.
TrainingState load_state(FileSystem& files, const std::string& folder);
TrainingState load_checkpoint(FileSystem& files, const std::string& folder,
                              std::span<const TensorSlot> model,
                              std::span<const TensorSlot> optimizer);

}  // namespace calque
