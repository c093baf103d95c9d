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
#include "ranks/communicator.h"
#include "train/config/config.h"
#include "train/ranks/state.h"
#include "train/storage/training_state.h"
#include "train/task.h"

namespace calque {

// Where the time of a step goes on this rank, in seconds. The rest is spent by one thread.
struct StepTimes {
  double slices = 0;  // of the clock: the forward and backward passes of all slices
  double busy = 0;    // CPU time of the same, added over the slices; of a group, that of one thread
  double update = 0;  // of the clock: the last sum of gradients, the update of the weights
};

struct StepOutcome {
  LossSums sums;
  UpdateReport update{};
  double flops = 0;  // of the matrix products of all ranks, without recomputation
  StepTimes times;
  std::string diagnosis;  // of a skipped step: what was not finite
};

class Learner {
 public:
  // With several ranks, each rank computes its share of the parts of a step and, except with
  // Adafactor, of the update; afterwards all ranks have the same weights. All ranks must call
  // step() together, with equal arguments, and optimizer_state(); the other functions do not
  // communicate.
  Learner(const TrainingConfig& training, Parameters& parameters,
          Communicator& ranks = only_rank());

  // Sets the initial weights, which training.seed determines.
  void initialise();
  // Starts the weight average (training.ema) from the current weights.
  void start_averaging();

  // How each micro-batch is divided. Slices are computed side by side, each by one thread and in
  // its cache; their gradients are added in a binary tree. The chunks of a slice are computed one
  // after another, to fit the memory. The division affects the dropout and the rounding of sums.
  struct Division {
    int64_t slices = 1;  // a power of two
    int64_t chunks = 1;  // of each slice
  };
  void divide(const Division& division) { division_ = division; }
  const Division& division() const { return division_; }

  // Runs forward and backward over the micro-batches, in training.parts parts of equal size, and
  // then updates the weights once. `step` counts from 0 and determines the dropout. A step that is
  // not finite changes nothing. `dropout_share` multiplies the probability of every dropout. With
  // training.outer_steps = H (DiLoCo: Douillard et al., 2023), each part makes H updates of its
  // own, from the common weights w to w_p; one update with the mean of w - w_p as the gradient
  // follows. The optimizers of the parts keep their state from step to step.
  StepOutcome step(const Works& works, int64_t step, double learning_rate, real dropout_share = 1);

  // The peak memory of tensors, in bytes, in a step over this micro-batch with this division,
  // measured by running up to two chunks forward and backward. Changes no weight.
  int64_t memory_of_step(const Work& work, const Division& division);

  // While the result lives, the model has the averaged weights, if there are any.
  std::unique_ptr<WithAverage> averaged_weights();

  // The tensors of a checkpoint besides the model's weights. With averaging, a checkpoint has the
  // average as the model's weights, and the weights in training are among these tensors.
  WholeState optimizer_state();
  // To be called after the slots of optimizer_state() have been filled.
  void restored(int64_t optimizer_step);

  Parameters& parameters() { return parameters_; }
  int64_t updates() const { return optimizer_.steps(); }

 private:
  // What a rank sends to the other ranks about one of its parts.
  struct Part {
    LossSums sums;
    double flops = 0;
    int64_t finite = 1;
    Part& operator+=(const Part& other);
  };
  // A chunk of a micro-batch, and the number of its tape.
  struct Chunk {
    std::unique_ptr<Work> split;  // nullptr: the whole micro-batch
    const Work* work;
    uint32_t tape;
  };
  void forward_backward(const Works& works, int64_t step, double learning_rate, Tape::Check check,
                        std::vector<Part>& parts);
  Part local_updates(const Works& works, int64_t part, int64_t step, double learning_rate,
                     Buffer<real>& gradient);
  Buffer<real> return_to(std::span<const real> before);
  std::vector<std::vector<real>> state_of_locals();
  void restore_locals(const std::vector<std::vector<real>>& state);
  // If joins(), the sum of the gradients goes to `gradient`, otherwise to the parameters.
  Part run_part(std::span<const std::unique_ptr<Work>> works, int64_t part, int64_t step,
                Tape::Check check, Buffer<real>& gradient);
  Part run_chunks(std::span<const Chunk> chunks, int64_t step, Tape::Check check) const;
  UpdateReport update(const LossSums& sums, double learning_rate);
  UpdateReport update_share(double learning_rate, double terms);
  Profile::Work update_work();
  std::string diagnose(const Works& works, int64_t step, const LossSums& sums);
  std::string diagnose_local(std::span<const std::unique_ptr<Work>> works, int64_t number,
                             int64_t step, const LossSums& sums, std::span<const real> gradient);
  const Parameters::Entry* first_bad_gradient();
  void clear_gradients();
  bool joins() const { return blocks_.parts > 1 || division_.slices > 1 || local(); }
  bool local() const { return training_.outer_steps > 0; }
  int64_t first_part() const { return ranks_.rank() * parts_of_rank(); }
  int64_t parts_of_rank() const { return blocks_.parts / ranks_.ranks(); }

  const TrainingConfig training_;
  Parameters& parameters_;
  Communicator& ranks_;
  const FlatBlocks blocks_;
  const std::vector<FlatRanges> updated_;  // by each rank
  Optimizer optimizer_;
  std::vector<Optimizer> locals_;  // with outer_steps: of the parts of this rank
  std::string local_problem_;      // why an update of a part was not finite
  GradientTree tree_;              // used only if joins()
  Division division_;
  StepTimes times_;         // of the current step
  real dropout_share_ = 1;  // of the current step
  std::optional<WeightAverage> average_;
};

}  // namespace calque
