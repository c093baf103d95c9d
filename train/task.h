#pragma once
// The seam between the trainer and what it trains. A task owns a model, its data and the way it is
// judged; the trainer asks it for micro-batches, runs them forward and backward, and updates the
// parameters. To add a task, implement these three classes in a folder of train/tasks/ and name it
// in train/tasks/registry.cpp.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ops.h"
#include "core/parameters.h"
#include "core/tensor.h"
#include "train/config/config.h"
#include "train/metrics/metric_info.h"
#include "train/report/records.h"
#include "train/storage/run_folder.h"

namespace calque {

// The loss of a micro-batch: sums over its terms (tokens, images, ...), which the step divides once
// by the number of all its terms.
struct SummedLoss {
  Tensor loss;          // [], carries the gradient
  double nll = 0;       // sum of -log p(right answer), without smoothing
  int64_t correct = 0;  // terms whose right answer is the most probable
  int64_t terms = 0;

  LossSums sums() const { return {double(loss.item()), nll, correct, terms}; }
};

// Its terms are the tokens.
inline SummedLoss summed(const TokenLoss& loss) {
  return {loss.loss, loss.nll, loss.correct, loss.tokens};
}

struct WorkSize {
  int64_t examples = 0;
  int64_t tokens = 0;  // that go through the model, for the speed
};

// One micro-batch, bound to its model.
class Work {
 public:
  virtual ~Work() = default;

  // The forward pass in training mode, recorded on the current tape.
  virtual SummedLoss forward() const = 0;
  virtual WorkSize size() const = 0;

  // The same examples in at most `chunks` parts of about equal cost; one example stays whole.
  virtual std::vector<std::unique_ptr<Work>> split(int64_t chunks) const = 0;

  // Where its examples come from, for messages: "train.en + train.de, pairs 3, 17".
  virtual std::string where() const = 0;
};

using Works = std::vector<std::unique_ptr<Work>>;

// Where a stream of work stands.
struct StreamPosition {
  int64_t epoch = 0;     // complete ones
  int64_t position = 0;  // micro-batches taken from the present one
};

// From `epoch` on, an epoch has about so many micro-batches, and examples in all of them.
struct EpochSize {
  int64_t epoch = 0;
  int64_t works = 0;
  int64_t examples = 0;
};

// The micro-batches of a run, epoch after epoch. A stream that is opened at a position returns
// exactly the micro-batches that follow it.
class WorkStream {
 public:
  virtual ~WorkStream() = default;

  virtual std::unique_ptr<Work> next() = 0;
  virtual StreamPosition position() const = 0;
  virtual double epochs() const = 0;        // 2.25 after a quarter of the third epoch
  virtual double wait_seconds() const = 0;  // spent waiting for data, in all

  // Whether both epochs draw from the same data.
  virtual bool same_data(int64_t epoch, int64_t other) const = 0;
  // The size of the first epoch, and of each later one from which the data changes.
  virtual std::vector<EpochSize> epoch_sizes() const = 0;
  // The micro-batch of the first epoch that takes the most memory.
  virtual std::unique_ptr<Work> largest() const = 0;
};

// What a validation found: a value for each metric that was measured.
struct Scores {
  std::vector<std::pair<std::string, double>> values;  // by the metric's name
  std::vector<Sample> samples;
};

class Task {
 public:
  virtual ~Task() = default;

  virtual Parameters& parameters() = 0;

  // What the task can be judged by, in the order in which it is shown.
  virtual std::span<const MetricInfo> metrics() const = 0;
  // How a metric is measured under a config: values are comparable where the texts are equal.
  virtual std::string measured_by(const MetricInfo& metric, const Config& config) const = 0;

  // Identify the tokenizers and the training data; a run resumes only on the same.
  virtual std::string tokenizer_hash() const = 0;
  virtual std::string data_hash() const = 0;

  // The training data and its stream; not for a task that was made to be used.
  virtual std::string data_description() const = 0;  // one line for the log
  virtual std::unique_ptr<WorkStream> training(StreamPosition from) = 0;

  // Whether there is anything to validate on.
  virtual bool validates() const = 0;
  // Nothing if `stop`, which is asked now and then, returns true.
  virtual std::optional<Scores> validate(const std::function<bool()>& stop) = 0;
};

// What a task is made for.
struct TaskStart {
  enum class Purpose {
    begin,   // a new run: tokenizers are made and saved in its folder
    resume,  // a run with a checkpoint: its tokenizers must have the hash below
    plan,    // a dry run: nothing is written
    use,     // tokenizers and model alone; the data is not read
  };
  Purpose purpose = Purpose::use;
  std::string tokenizer_hash = {};  // of the checkpoint to resume from
};

using MakeTask =
    std::function<std::unique_ptr<Task>(const Config&, const RunFolder&, const TaskStart&)>;

}  // namespace calque
