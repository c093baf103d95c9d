#pragma once
// One step of training, and all that it changes: the model, the optimiser's memory, the averaged
// weights. Everything around it (data, logs, checkpoints, limits) is the trainer's.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/profile.h"
#include "data/batch.h"
#include "optim/optimizer.h"
#include "optim/weight_average.h"
#include "train/config/config.h"
#include "train/storage/training_state.h"
#include "train/translation_model.h"

namespace calque {

struct StepOutcome {
  LossSums sums;
  UpdateReport update{};
  double flops = 0;       // of useful products, forward and backward
  std::string diagnosis;  // of a step that was not finite: op or parameter
};

class Learner {
 public:
  // `pieces`: into how many parts each batch is split, so that the step fits the memory.
  Learner(const TrainingConfig& training, const TransformerOptions& options, int64_t pieces);

  // First weights, from the seed alone. Averaging starts from them, so after any init_from.
  void initialise();
  void start_averaging();

  // Forward and backward over the batches, one update of the weights. `step` is its number, from 0,
  // and decides the dropout; a step that is not finite changes nothing.
  StepOutcome step(std::span<const Batch> batches, int64_t step, double learning_rate);

  // Evaluates with the averaged weights while the result lives, if there are any.
  std::unique_ptr<WithAverage> averaged_weights();

  // What a checkpoint holds: the weights to translate with, and all else that training needs.
  // With averaging the first are the average and the others include the weights under training.
  std::vector<NamedTensor> optimizer_tensors();
  std::vector<TensorTarget> optimizer_targets();
  // To be called once the targets have been filled.
  void restored(int64_t optimizer_step);

  TranslationModel model;
  Optimizer optimizer;

 private:
  LossSums forward_backward(std::span<const Batch> batches, int64_t step, Tape::Check check);
  TokenLoss forward(const Batch& batch);
  UpdateReport update(const LossSums& sums, double learning_rate);
  Profile::Work update_work();
  std::string diagnose(std::span<const Batch> batches, int64_t step, const LossSums& sums);
  template <class Named>
  std::vector<Named> windows();

  const TrainingConfig training_;
  const int64_t pieces_;
  std::optional<WeightAverage> average_;
};

}  // namespace calque
