#pragma once
// The base of the tasks: a config, a model with its parameters, and a validation that the ranks
// share.

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/config/schema.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/example_works.h"
#include "train/tasks/pretrained_embeddings.h"
#include "train/tasks/shared_validation.h"
#include "train/tasks/task_model.h"

namespace calque {

template <class Model>
class ModelTask : public Task {
 public:
  using Options = typename TaskModel<Model>::Options;

  Parameters& parameters() override { return network_.parameters; }
  Parameters* base() override { return network_.base.entries().empty() ? nullptr : &network_.base; }

  std::string measured_by(const MetricInfo&, const Config& config) const override {
    return write_value(config.data.validation);
  }

  std::unique_ptr<WorkStream> training(StreamPosition from, int64_t batch_tokens) override {
    BatchOptions options = batch_options(config_.training);
    options.tokens = batch_tokens;
    return std::make_unique<ExampleWorks>(examples(), options, from);
  }

  int64_t largest_example() const override {
    const ExampleTraining all = examples();
    return all.set.costs.empty() ? 0 : std::ranges::max(all.set.costs);
  }

  std::optional<Scores> validate(Communicator& ranks, const std::function<bool()>& stop) override {
    return shared_validation(ranks, stop,
                             [this](const BatchShare& share) { return scores(share); });
  }

 protected:
  ModelTask(const Config& config, const Options& options) : config_(config), network_(options) {
    freeze_embeddings(config_, network_.parameters);
  }

  // The training data and the forward pass. May refer to the task.
  virtual ExampleTraining examples() const = 0;
  // The scores over the batches of all ranks; samples only on rank 0.
  virtual Scores scores(BatchShare share) const = 0;

  const Config config_;
  TaskModel<Model> network_;
};

}  // namespace calque
