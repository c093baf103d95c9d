#pragma once
// A validation that several ranks share and that the trainer can stop between two batches. The
// batches do not depend on W, the number of ranks. Each rank computes every W-th batch, and all
// ranks receive the results of all batches in order, so sums have the same bits for any W.

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
  // The evaluation ends once `stop` returns true on one of the ranks.
  BatchShare(Communicator& ranks, std::function<bool()> stop)
      : ranks_(&ranks), stop_(std::move(stop)) {}

  int rank() const { return ranks_->rank(); }
  int ranks() const { return ranks_->ranks(); }
  // Whether this is rank 0, whose samples are used.
  bool is_rank_zero() const { return ranks_->is_rank_zero(); }

  // Whether this rank computes the next batch; false once it has been stopped. All ranks call it
  // once for each batch.
  bool computes_next();

  // Calls body(between). `between` throws once `stop` returns true; run() catches this exception.
  void run(const std::function<void(const std::function<void()>& between)>& body);

  // Gives all ranks the results of all ranks. On entry, the results of other ranks must be zero or
  // empty texts. All ranks call it; if one of them has been stopped, it throws on all.
  template <class Value>
  void join(std::vector<Value>& results) {
    join_bytes(std::as_writable_bytes(std::span(results)));
  }
  void join(std::vector<std::string>& results);

  // The sum over the batches of all ranks; `batches` has zeros for the batches of other ranks.
  LossSums sum(std::vector<LossSums> batches);

 private:
  void join_bytes(std::span<std::byte> results);

  Communicator* ranks_ = &only_rank();
  std::function<bool()> stop_;
  int64_t batches_ = 0;  // so far, of all ranks
  bool stopped_ = false;
};

// Returns the Scores of `validate`, with a table of the experts' load if the model has experts, or
// nothing once `stop` returns true on one of the ranks. All ranks call it and get the same values.
// Samples are not exchanged.
std::optional<Scores> shared_validation(
    Communicator& ranks, const std::function<bool()>& stop,
    const std::function<Scores(const BatchShare& share)>& validate);

}  // namespace calque
