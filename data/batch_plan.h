#pragma once
// How an epoch is cut into batches: pairs of like length together, because attention's cost grows
// with the length, and the batches in shuffled order. A plan is a pure function of the lengths, the
// options and the epoch; several ranks make the same plan and each takes every n-th batch of it.

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"

namespace calque {

enum class BatchUnit { source, target, both };  // whose tokens a batch is measured in

struct BatchOptions {
  int64_t tokens = 4096;  // a batch holds at most so many, </s> included; 0 = any number
  BatchUnit unit = BatchUnit::target;
  int64_t sentences = 0;  // and at most so many sentences; 0 = any number
  uint64_t seed = 1;
  bool shuffle = true;  // false: the pairs in their order, for validation
  int rank = 0, ranks = 1;
};

class BatchPlan {
 public:
  // An Error if a pair alone exceeds options.tokens, or there are fewer pairs than ranks.
  BatchPlan(const Dataset& dataset, const BatchOptions& options, int64_t epoch);

  // Of this rank; every rank has as many.
  int64_t size() const { return std::ssize(batches_); }
  // The numbers of the pairs in a batch.
  std::span<const uint32_t> batch(int64_t index) const {
    return std::span(order_).subspan(batches_[index].begin,
                                     batches_[index].end - batches_[index].begin);
  }

 private:
  struct Range {
    uint32_t begin, end;  // in order_
    uint32_t size() const { return end - begin; }
  };

  std::vector<uint32_t> order_;
  std::vector<Range> batches_;

  void cut(const Dataset& dataset, const BatchOptions& options);
  void split_until_divisible(int64_t ranks);
};

}  // namespace calque
