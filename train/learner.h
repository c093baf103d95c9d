#pragma once
// One step of training, and all that it changes: the parameters, the optimizer's state and the
// weight average. Data, logs, checkpoints and limits belong to the trainer.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/profile.h"
#include "core/tape.h"
#include "optim/gradient_tree.h"
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
  double flops = 0;       // of products, forward and backward, without recomputation
  std::string diagnosis;  // of a skipped step: the op or parameter that was not finite
};

class Learner {
 public:
  Learner(const TrainingConfig& training, Parameters& parameters);

  // Sets the initial weights, a function of the seed alone. Averaging starts from the weights after
  // initialise() or init_from.
  void initialise();
  void start_averaging();

  // The number of chunks that each micro-batch is split into, to fit the memory.
  void set_chunks(int64_t chunks) { chunks_ = chunks; }

  // Forward and backward over the micro-batches, in training.parts parts of equally many, then one
  // update of the weights. `step` counts from 0 and determines the dropout. A step that is not
  // finite changes nothing.
  StepOutcome step(const Works& works, int64_t step, double learning_rate);

  // The peak memory of tensors, in bytes, in a step over this micro-batch with this number of
  // chunks, measured by running two of them forward and backward. Changes no weight.
  int64_t memory_of_step(const Work& work, int64_t chunks);

  // While the result lives, the model has the averaged weights, if there are any.
  std::unique_ptr<WithAverage> averaged_weights();

  // The tensors of a checkpoint besides the model's weights. With averaging, the model's weights
  // are the average and these include the weights in training.
  std::vector<NamedTensor> optimizer_tensors();
  std::vector<TensorSlot> optimizer_slots();
  // To be called after the slots have been filled.
  void restored(int64_t optimizer_step);

  Parameters& parameters() { return parameters_; }
  int64_t updates() const { return optimizer_.steps(); }

 private:
  LossSums forward_backward(const Works& works, int64_t step, Tape::Check check);
  LossSums run_part(std::span<const std::unique_ptr<Work>> works, int64_t part, int64_t step,
                    Tape::Check check);
  UpdateReport update(const LossSums& sums, double learning_rate);
  Profile::Work update_work();
  std::string diagnose(const Works& works, int64_t step, const LossSums& sums);
  double joined_norm();
  void clear_gradients();
  template <class Named>
  std::vector<Named> windows();

  const TrainingConfig training_;
  Parameters& parameters_;
  Optimizer optimizer_;
  FlatBlocks blocks_;
  GradientTree tree_;  // unused with a single part
  int64_t chunks_ = 1;
  std::optional<WeightAverage> average_;
};

}  // namespace calque
