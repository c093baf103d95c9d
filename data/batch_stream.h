#pragma once
// The batches of a training run, epoch after epoch without end, prepared ahead on a thread of their
// own. Where a stream stands is two numbers; a stream opened there gives exactly the batches that
// would have come.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "data/batch.h"
#include "data/batch_plan.h"
#include "data/dataset.h"

namespace calque {

struct StreamState {
  int64_t epoch = 0;     // complete ones
  int64_t position = 0;  // batches given in the present one, by each rank
  bool operator==(const StreamState&) const = default;
};

class BatchStream {
 public:
  // An Error if `from` lies behind the end of its epoch: then the data is another one.
  BatchStream(Dataset dataset, const BatchOptions& options, StreamState from = {},
              PairVariation vary = {});
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;
  ~BatchStream();

  Batch next();

  const Dataset& dataset() const { return dataset_; }

  // Behind the last batch given; {e, 0} as soon as epoch e - 1 is complete.
  StreamState state() const { return state_; }
  // 2.25 after a quarter of the third epoch.
  double epochs() const;
  // Batches of each rank in the epoch of the last batch given (before: of the first).
  int64_t batches_per_epoch() const { return epoch_size_; }

  // How long next() has waited for the preparation, in all.
  double wait_seconds() const { return wait_seconds_; }

 private:
  struct Prepared {
    Batch batch;
    StreamState after;
    int64_t epoch_size;
  };

  void prepare(BatchPlan plan, StreamState at);
  bool hand_over(Prepared prepared);

  const Dataset dataset_;
  const BatchOptions options_;
  const PairVariation vary_;
  StreamState state_;
  int64_t epoch_size_ = 0;
  double wait_seconds_ = 0;

  std::mutex mutex_;  // guards the four below
  std::condition_variable changed_;
  std::deque<Prepared> ready_;
  std::exception_ptr failure_;
  bool stop_ = false;

  std::thread thread_;
};

}  // namespace calque
