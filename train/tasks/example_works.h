#pragma once
// The training of a task whose data is a set of examples (data/batches/stream.h): each batch of
// examples becomes one micro-batch.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/segments.h"
#include "data/batches/stream.h"
#include "train/task.h"

namespace calque {

// Examples one after the other, without padding.
struct PackedExamples {
  std::vector<std::vector<int32_t>> columns;  // each concatenated over the examples
  Segments segments;                          // of the first column
};
PackedExamples pack(std::span<const Example> examples);

// Examples in memory, to which the set refers; the first column is the cost.
ExampleSet example_set(const std::vector<Example>& examples);

// The examples of the set with these numbers, as in epoch 0.
ExampleBatch read_batch(const ExampleSet& set, std::span<const uint32_t> numbers);

// What all micro-batches of a task have in common.
struct ExampleTraining {
  ExampleSet set;
  // The forward pass in training mode.
  std::function<SummedLoss(std::span<const Example>)> forward;

  // Without the following, the cost of an example is the number of its tokens, where() lists the
  // distinct values of set.where(), and each chunk has the same number of examples.
  std::vector<int32_t> sizes = {};  // [examples]  tokens, by which the largest batch is chosen
  std::function<int64_t(const Example&)> tokens = {};
  std::function<std::string(std::span<const int64_t> numbers)> where = {};
  // The index of the first example of each of about `chunks` chunks.
  std::function<std::vector<int64_t>(std::span<const Example>, int64_t chunks)> chunk_begins = {};
};

class ExampleWork : public Work {
 public:
  ExampleWork(std::shared_ptr<const ExampleTraining> training, ExampleBatch batch)
      : training_(std::move(training)), batch_(std::move(batch)) {}

  SummedLoss forward() const override { return training_->forward(batch_.examples); }
  WorkSize size() const override;
  Works split(int64_t chunks) const override;
  // Names at most eight origins, and then writes only the number of the others.
  std::string where() const override;

  const ExampleBatch& batch() const { return batch_; }

 private:
  const std::shared_ptr<const ExampleTraining> training_;
  const ExampleBatch batch_;
};

class ExampleWorks : public WorkStream {
 public:
  ExampleWorks(ExampleTraining training, const BatchOptions& options, StreamPosition from);

  std::unique_ptr<Work> next() override;
  StreamPosition position() const override;
  double epochs() const override { return stream_.epochs(); }
  double wait_seconds() const override { return stream_.wait_seconds(); }
  bool same_data(int64_t epoch, int64_t other) const override;
  std::vector<EpochSize> epoch_sizes() const override;
  std::unique_ptr<Work> largest() const override;

 private:
  BatchPlan plan(int64_t epoch) const;

  const std::shared_ptr<const ExampleTraining> training_;
  const BatchOptions options_;
  BatchStream stream_;
};

}  // namespace calque
