#pragma once
// The optimizer's state of all ranks, collected on rank 0 as a checkpoint stores it. Each rank
// holds the state for its share of the parameters, or for its parts. With one rank, nothing is
// copied.

#include <vector>

#include "core/memory/pool.h"
#include "optim/flat.h"
#include "ranks/communicator.h"
#include "train/storage/safetensors.h"

namespace calque {

// A part of the state. Either all ranks hold all of its values, or each rank holds those for its
// share of the flat buffer, or one rank holds all of them.
struct RankWindow {
  enum class Holder { all, shares, one };
  StateWindow window;  // on a rank without the values: only the name
  Holder holder = Holder::all;
  int rank = 0;      // Holder::one: the rank that has the values
  int64_t size = 0;  // Holder::one: the number of values
};

class WholeState {
 public:
  // The ranks share `padded` numbers, of which the first `size` belong to the parameters.
  WholeState(Communicator& ranks, std::vector<RankWindow> windows, int64_t size, int64_t padded);

  void gather();   // from all ranks to rank 0
  void scatter();  // from rank 0 to the holders of each window

  // The windows of the whole state. Only rank 0 has all values.
  std::vector<NamedTensor> tensors() const { return named<NamedTensor>(); }
  std::vector<TensorSlot> slots() const { return named<TensorSlot>(); }

 private:
  template <class Named>
  std::vector<Named> named() const;
  std::span<real> share_of_rank(size_t window, int rank) const;
  // Copies a window that a single rank holds to rank 0, or back.
  void move(size_t window, bool to_first);

  Communicator& ranks_;
  const std::vector<RankWindow> windows_;
  const int64_t size_, padded_;
  std::vector<Buffer<real>> memory_;     // on rank 0: room for what other ranks hold
  std::vector<std::span<real>> wholes_;  // all values of each window; may be empty elsewhere
};

}  // namespace calque
