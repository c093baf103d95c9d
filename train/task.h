#pragma once
// The interface between the trainer and what it trains. A task owns a model, its data and its
// validation; the trainer takes micro-batches from the task, runs them forward and backward, and
// updates the parameters. To add a task, implement Work, WorkStream and Task in a folder of
// train/tasks/; docs/architecture.md lists the other files.

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
#include "ranks/communicator.h"
#include "train/config/config.h"
#include "train/metrics/metric_info.h"
#include "train/report/records.h"
#include "train/storage/run_folder.h"

namespace calque {

// The loss of a micro-batch: sums over its terms (tokens, images, ...). The step divides once, by
// the number of terms of all its micro-batches.
struct SummedLoss {
  Tensor loss;          // [], carries the gradient
  double nll = 0;       // sum of -log p(correct answer), without smoothing
  int64_t correct = 0;  // terms whose correct answer is the most probable
  int64_t terms = 0;

  LossSums sums() const { return {double(loss.item()), nll, correct, terms}; }
};

// Each token is a term.
inline SummedLoss summed(const TokenLoss& loss) {
  return {loss.loss, loss.nll, loss.correct, loss.tokens};
}

struct WorkSize {
  int64_t examples = 0;
  int64_t tokens = 0;  // that go through the model
};

// One micro-batch, bound to its model.
class Work {
 public:
  virtual ~Work() = default;

  // The forward pass in training mode, recorded on the current tape.
  virtual SummedLoss forward() const = 0;
  virtual WorkSize size() const = 0;

  // Divides the examples into about `chunks` chunks of about equal cost; no example is split.
  virtual std::vector<std::unique_ptr<Work>> split(int64_t chunks) const = 0;

  // The origin of its examples, for messages: "train.en + train.de, pairs 3, 17".
  virtual std::string where() const = 0;
};

using Works = std::vector<std::unique_ptr<Work>>;

struct StreamPosition {
  int64_t epoch = 0;     // the number of complete epochs
  int64_t position = 0;  // the number of micro-batches taken from the current epoch
};

// The approximate size of each epoch from `epoch` on: the number of its micro-batches (works) and
// of its examples.
struct EpochSize {
  int64_t epoch = 0;
  int64_t works = 0;
  int64_t examples = 0;
};

// The micro-batches of a run, epoch after epoch. A stream opened at a position returns exactly the
// micro-batches that follow it.
class WorkStream {
 public:
  virtual ~WorkStream() = default;

  virtual std::unique_ptr<Work> next() = 0;
  virtual StreamPosition position() const = 0;
  virtual double epochs() const = 0;        // 2.25 after a quarter of the third epoch
  virtual double wait_seconds() const = 0;  // total time spent waiting for data

  // Whether both epochs use the same data.
  virtual bool same_data(int64_t epoch, int64_t other) const = 0;
  // The size of the first epoch, and of each later one from which the data changes.
  virtual std::vector<EpochSize> epoch_sizes() const = 0;
  // Among the micro-batches of the first epoch, the one that needs the most memory.
  virtual std::unique_ptr<Work> largest() const = 0;
};

// The result of a validation: a value for each measured metric.
struct Scores {
  std::vector<std::pair<std::string, double>> values;  // by the metric's name
  std::vector<Sample> samples;
  std::vector<ResultTable> tables = {};
};

// A file in a run's folder that belongs to the trained model, besides the config and the
// tokenizers.
struct SideFile {
  std::string (RunFolder::*path)() const;
  // Complete "its ... of RUN; average ...", said of two runs whose files differ. Without them the
  // files may differ, and a run may lack the file.
  std::string_view difference = {}, advice = {};
};

class Task {
 public:
  virtual ~Task() = default;

  virtual Parameters& parameters() = 0;
  // The frozen weights that an adapter corrects; nullptr without model.adapter. They are loaded
  // from model.init_from and never saved.
  virtual Parameters* base() { return nullptr; }
  virtual std::vector<SideFile> side_files() const { return {}; }

  // The metrics that validation may measure, in the order of display.
  virtual std::span<const MetricInfo> metrics() const = 0;
  // Describes how a config measures a metric: values with equal descriptions are comparable.
  virtual std::string measured_by(const MetricInfo& metric, const Config& config) const = 0;

  // These identify the tokenizers and the training data; a run resumes only if they are equal.
  virtual std::string tokenizer_hash() const = 0;
  virtual std::string data_hash() const = 0;

  // The next five functions require a purpose other than TaskStart::Purpose::use.
  virtual std::string data_description() const = 0;  // one line for the log
  // The tokens of the longest input in the training data; 0 if the task does not tell.
  virtual int64_t longest_input() const { return 0; }
  // The tokens that the largest training example takes in a batch; 0 if the task does not tell.
  virtual int64_t largest_example() const { return 0; }
  // What speaks against the data: warnings, one line each (train/tasks/data_remarks.h).
  virtual std::vector<std::string> data_remarks() const { return {}; }
  // Micro-batches of training.batch_tokens, which a run may have chosen (train/run/batch_size.h).
  virtual std::unique_ptr<WorkStream> training(StreamPosition from, int64_t batch_tokens) = 0;

  // Sets the initial weights that a new run reads from files other than checkpoints. Called after
  // all other initial weights are set. Returns lines for the log.
  virtual std::vector<std::string> load_pretrained() { return {}; }

  // Whether there is validation data.
  virtual bool validates() const = 0;
  // Calls `stop` from time to time; if `stop` returns true, ends and returns nothing. All ranks
  // call validate() with the same weights, share the work and return the same values; only rank 0
  // returns samples.
  virtual std::optional<Scores> validate(Communicator& ranks,
                                         const std::function<bool()>& stop) = 0;
};

// The purpose for which a task is made.
struct TaskStart {
  enum class Purpose {
    begin,   // a new run: tokenizers are trained and saved in its folder
    resume,  // a run with a checkpoint: its tokenizers must have the hash below; the trainer
             // compares the hash of the data
    plan,    // a dry run: nothing is written
    use,     // only the tokenizers and the model; the data is not read
  };
  Purpose purpose = Purpose::use;
  // The hashes in the checkpoint to resume from.
  std::string tokenizer_hash = {}, data_hash = {};
  // Gets lines on the progress of long work, before the log of the run is open; may be empty.
  std::function<void(const std::string& line)> say = {};
};

using MakeTask =
    std::function<std::unique_ptr<Task>(const Config&, const RunFolder&, const TaskStart&)>;

}  // namespace calque
