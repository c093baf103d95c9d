#pragma once
// The batches of a training run, epoch after epoch, prefetched on a thread. The state of a stream
// is two numbers; a stream opened at a state returns exactly the batches that follow that state.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "data/batches/plan.h"
#include "data/datasets/token_store.h"

namespace calque {

// The source of a stream: examples_of() a dataset (data/batches/examples.h), or
// TextWindows::examples() of a language model.
struct ExampleSet {
  std::vector<int32_t> costs;      // [examples]  the number of tokens that each adds to a batch
  std::vector<SharedRange> parts;  // cover all examples
  // Reads an example, which may vary by epoch. A pure function, called on the prefetch thread.
  std::function<void(int64_t epoch, int64_t example, Example& out)> read;
  // The example's name in an error: "train.en + train.de, pair 17".
  std::function<std::string(int64_t example)> where;
};

struct ExampleBatch {
  std::vector<Example> examples;
  std::vector<int64_t> numbers;  // the indices of the examples in the set
  bool operator==(const ExampleBatch&) const = default;
};

struct StreamState {
  int64_t epoch = 0;     // number of complete epochs
  int64_t position = 0;  // number of batches that each rank has taken of the current epoch
  bool operator==(const StreamState&) const = default;
};

class BatchStream {
 public:
  // Throws an Error if an example exceeds a batch, if the epochs of all parts with examples are
  // limited, or if `from` lies outside its epoch because the data or the batch size has changed.
  BatchStream(ExampleSet set, const BatchOptions& options, StreamState from = {});
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;
  ~BatchStream();

  ExampleBatch next();

  // The state after the last batch returned; {e, 0} as soon as epoch e - 1 is complete.
  StreamState state() const { return state_; }
  // The number of epochs so far: 2.25 after a quarter of the third epoch.
  double epochs() const;

  // The total time that next() has waited for the prefetch thread.
  double wait_seconds() const { return wait_seconds_; }

 private:
  struct Prepared {
    ExampleBatch batch;
    StreamState after;
    int64_t epoch_size;
  };

  void prepare(BatchPlan plan, StreamState at);
  bool hand_over(Prepared prepared);

  const ExampleSet set_;
  const BatchOptions options_;
  StreamState state_;
  int64_t epoch_size_ = 0;  // batches of each rank in the epoch of the last batch returned
  double wait_seconds_ = 0;

  std::mutex mutex_;  // guards ready_, failure_ and stop_
  std::condition_variable changed_;
  std::deque<Prepared> ready_;
  std::exception_ptr failure_;
  bool stop_ = false;

  std::thread thread_;
};

}  // namespace calque
