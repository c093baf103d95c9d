#pragma once
// One step of training, and all that it changes: the parameters, the optimiser's state, the
// averaged weights. Everything around it (data, logs, checkpoints, limits) is the trainer's.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/profile.h"
#include "core/tape.h"
#include "optim/optimizer.h"
#include "optim/weight_average.h"
#include "train/config/config.h"
#include "train/storage/safetensors.h"
#include "train/storage/training_state.h"
#include "train/task.h"

namespace calque {

struct StepOutcome {
  LossSums sums;
  UpdateReport update{};
  double flops = 0;       // of useful products, forward and backward
  std::string diagnosis;  // of a step that was not finite: the op or parameter
};

class Learner {
 public:
  Learner(const TrainingConfig& training, Parameters& parameters);

  // First weights, from the seed alone. Averaging starts from them, so after any init_from.
  void initialise();
  void start_averaging();

  // Into how many chunks each micro-batch is split, so that a step fits the memory.
  void set_chunks(int64_t chunks) { chunks_ = chunks; }

  // Forward and backward over the micro-batches, one update of the weights. `step` is its number,
  // from 0, and decides the dropout; a step that is not finite changes nothing.
  StepOutcome step(const Works& works, int64_t step, double learning_rate);

  // The most memory in bytes that tensors take in a step over this micro-batch, split into so many
  // chunks: measured by running two of them forward and backward. Changes no weight.
  int64_t memory_of_step(const Work& work, int64_t chunks);

  // Evaluates with the averaged weights while the result lives, if there are any.
  std::unique_ptr<WithAverage> averaged_weights();

  // What a checkpoint holds beside the weights to be used. With averaging those are the average,
  // and these include the weights under training.
  std::vector<NamedTensor> optimizer_tensors();
  std::vector<TensorSlot> optimizer_slots();
  // To be called once the slots have been filled.
  void restored(int64_t optimizer_step);

  Parameters& parameters() { return parameters_; }
  int64_t updates() const { return optimizer_.steps(); }

 private:
  LossSums forward_backward(const Works& works, int64_t step, Tape::Check check);
  UpdateReport update(const LossSums& sums, double learning_rate);
  Profile::Work update_work();
  std::string diagnose(const Works& works, int64_t step, const LossSums& sums);
  template <class Named>
  std::vector<Named> windows();

  const TrainingConfig training_;
  Parameters& parameters_;
  Optimizer optimizer_;
  int64_t chunks_ = 1;
  std::optional<WeightAverage> average_;
};

}  // namespace calque
