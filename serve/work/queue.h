#pragma once
// Three lanes of work: short work, long texts to translate, and long computations, such as texts to
// generate. On Linux, the threads of the last two have a lower priority.

#include <cstdint>

#include "serve/work/lane.h"

namespace calque {

class WorkQueue {
 public:
  struct Options {
    int64_t capacity = 100'000;   // the most tokens that wait in each lane
    int64_t batch_tokens = 2048;  // of one batch
    int64_t short_tokens = 256;   // the most tokens of short work
  };

  explicit WorkQueue(const Options& options, const WorkLane::Observer& observer = {});

  // Returns false if the work's lane is full.
  bool add(QueuedWork work);
  int64_t unfinished_tokens() const;

 private:
  const Options options_;
  WorkLane short_, translations_, computations_;
};

}  // namespace calque
