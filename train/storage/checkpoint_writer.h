#pragma once
// Checkpoints written while training goes on: the tensors are copied into buffers of the writer's
// own, and a thread writes those. The buffers are kept, so that every save but the first allocates
// nothing.

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
  int64_t keep_last = 1;            // checkpoints kept by their age
  std::vector<int64_t> keep_steps;  // and by their step, such as the best ones
  std::optional<int64_t> best;      // the step that RUN/best is to point to
};

class CheckpointWriter {
 public:
  explicit CheckpointWriter(Checkpoints& checkpoints) : checkpoints_(checkpoints) {}
  ~CheckpointWriter();  // waits for the save under way; what finish() was not asked for is lost
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // Copies the tensors and returns, having started the save; after it, RUN/last, RUN/best and older
  // checkpoints follow. Waits for an earlier save first, and throws its Error.
  void save(std::span<const NamedTensor> model, std::span<const NamedTensor> optimizer,
            CheckpointJob job);
  // The same for a step whose tensors have been saved: replaces its state alone.
  void save_state(CheckpointJob job);
  // Waits for the save under way, and throws its Error.
  void finish();
  // Whether a save has ended for which finish() has not been asked.
  bool ended() const;

  // What follows a save: RUN/last and RUN/best, and older checkpoints go. For a run that was ended
  // between the two.
  void tidy(const CheckpointJob& job);

  // What went wrong after the checkpoints had been saved, such as a link that could not be made.
  // To be asked after finish() or tidy().
  std::vector<std::string> take_complaints();

 private:
  // Tensors copied out of the way of training.
  class Snapshot {
   public:
    void take(std::span<const NamedTensor> tensors);
    std::span<const NamedTensor> tensors() const { return tensors_; }

   private:
    std::vector<real> values_;
    std::vector<NamedTensor> tensors_;
  };

  // On the thread: writes, then tidies.
  void start(CheckpointJob job, std::function<void(const TrainingState&)> write);
  Checkpoints& checkpoints_;
  Snapshot model_, optimizer_;
  std::vector<std::string> complaints_;  // the thread's own while it runs
  std::future<void> under_way_;
};

}  // namespace calque
