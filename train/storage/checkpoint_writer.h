#pragma once
// Writes checkpoints during training: copies the tensors to buffers, which a thread then writes.
// Later saves reuse these buffers.

#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/storage/checkpoints.h"

namespace calque {

struct CheckpointJob {
  TrainingState state;
  int64_t keep_last = 1;            // the number of newest checkpoints to keep
  std::vector<int64_t> keep_steps;  // steps whose checkpoints are also kept
  std::optional<int64_t> best;      // the step that RUN/best links to
};

class CheckpointWriter {
 public:
  explicit CheckpointWriter(Checkpoints& checkpoints) : checkpoints_(checkpoints) {}
  ~CheckpointWriter();  // waits for the save in progress; its Error is lost
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // Copies the tensors, starts the save and returns. The thread then updates RUN/last and RUN/best
  // and removes old checkpoints. Waits for an earlier save first, and throws its Error.
  void save(std::span<const NamedTensor> model, std::span<const NamedTensor> optimizer,
            CheckpointJob job);
  // The same for a step whose tensors have been saved: replaces only its state.
  void save_state(CheckpointJob job);
  // Waits for the save in progress, and throws its Error if it fails.
  void finish();
  // Whether a save has ended since the last call of finish().
  bool ended() const;

  // Updates RUN/last and RUN/best and removes old checkpoints, for a run that was killed before it
  // did so.
  void tidy(const CheckpointJob& job);

  // Returns and clears the problems of tidy(), such as a link that could not be made. To be called
  // after finish() or tidy().
  std::vector<std::string> take_complaints();

 private:
  // A copy of tensors.
  class Snapshot {
   public:
    void take(std::span<const NamedTensor> tensors);
    std::span<const NamedTensor> tensors() const { return tensors_; }

   private:
    std::vector<real> values_;
    std::vector<NamedTensor> tensors_;
  };

  // Starts a thread that calls write() and then tidy().
  void start(CheckpointJob job, std::function<void(const TrainingState&)> write);
  Checkpoints& checkpoints_;
  Snapshot model_, optimizer_;
  std::vector<std::string> complaints_;  // owned by the thread while it runs
  std::future<void> under_way_;
};

}  // namespace calque
