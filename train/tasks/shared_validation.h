#pragma once
// A validation that several ranks share, and that the trainer can stop between two batches. The
// batches are those of a single rank. Each rank computes every W-th one, and all ranks receive the
// results of all, in the order of the batches; so sums have the same bits for any number of ranks.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ranks/communicator.h"
#include "train/task.h"

namespace calque {

// The batches of an evaluation that a rank computes.
class BatchShare {
 public:
  BatchShare() = default;  // all of them
  // Ends once `stop` returns true on one of the ranks.
  BatchShare(Communicator& ranks, std::function<bool()> stop)
      : ranks_(&ranks), stop_(std::move(stop)) {}

  int rank() const { return ranks_->rank(); }
  int ranks() const { return ranks_->ranks(); }
  // Whether samples are computed here.
  bool speaks() const { return ranks_->speaks(); }

  // Whether this rank computes the next batch. All ranks call it once for each batch.
  bool takes_next();

  // Calls `body`, whose call of `between` throws once `stop` returns true; that ends `body` alone.
  void run(const std::function<void(const std::function<void()>& between)>& body);

  // Gives all ranks the results of all. What this rank has not computed is zero, or an empty text.
  // All ranks call it; it throws on all of them if one of them has been stopped.
  template <class Value>
  void join(std::vector<Value>& results) {
    join_bytes(std::as_writable_bytes(std::span(results)));
  }
  void join(std::vector<std::string>& results);

  // The sum over all batches, of which this rank has computed its own.
  LossSums sum(std::vector<LossSums> batches);

 private:
  void join_bytes(std::span<std::byte> results);

  Communicator* ranks_ = &only_rank();
  std::function<bool()> stop_;
  int64_t batches_ = 0;  // so far, of all ranks
  bool stopped_ = false;
};

// Returns the Scores of `validate`, with the load of the experts if the model has any, or nothing
// once `stop` returns true on one of the ranks. All ranks call it and get the same values; samples
// are those of rank 0.
std::optional<Scores> shared_validation(
    Communicator& ranks, const std::function<bool()>& stop,
    const std::function<Scores(const BatchShare& share)>& validate);

}  // namespace calque
