#pragma once
// The batches of an epoch. With shuffling, they are in random order, and each has examples of
// similar cost, because the cost of attention grows with the length. A plan is a pure function of
// its arguments; every rank computes the same plan and takes every ranks-th batch.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/datasets/epoch_order.h"

namespace calque {

struct BatchOptions {
  int64_t tokens = 4096;  // maximum per batch; 0: no limit
  int64_t examples = 0;   // maximum per batch; 0: no limit
  uint64_t seed = 1;
  bool shuffle = true;  // false: all examples once, in the order of their indices
  int rank = 0, ranks = 1;
};

class BatchPlan {
 public:
  // costs: the number of tokens that each example adds to a batch. With shuffling, requires that no
  // cost exceeds options.tokens. Without shuffling, an example of higher cost is a batch of its
  // own, and `parts` is not used. Throws an Error if an epoch has too many examples, or fewer
  // examples than ranks.
  BatchPlan(std::span<const int32_t> costs, std::span<const SharedRange> parts,
            const BatchOptions& options, int64_t epoch);

  // The number of batches of each rank.
  int64_t size() const { return std::ssize(batches_); }
  // The indices of the examples of a batch.
  std::span<const uint32_t> batch(int64_t index) const {
    return std::span(order_).subspan(batches_[index].begin, batches_[index].size());
  }

 private:
  struct Range {
    uint32_t begin, end;  // in order_
    uint32_t size() const { return end - begin; }
  };

  std::vector<uint32_t> order_;
  std::vector<Range> batches_;

  void cut(std::span<const int32_t> costs, const BatchOptions& options);
  void split_until_divisible(int64_t ranks);
};

// Throws an Error if an example exceeds options.tokens: "PLACE: 300 tokens do not fit into a batch
// of 256; ...", where PLACE is where(example).
void require_fit(std::span<const int32_t> costs, const BatchOptions& options,
                 const std::function<std::string(int64_t example)>& where);

}  // namespace calque
