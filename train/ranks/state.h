#pragma once
// The optimizer's state of all ranks, collected on rank 0 as a checkpoint stores it. Each rank
// holds the state for the parameters that it updates, or for its parts. With one rank, nothing is
// copied.

#include <vector>

#include "core/memory/pool.h"
#include "optim/flat.h"
#include "ranks/communicator.h"
#include "train/storage/safetensors.h"

namespace calque {

class WholeState {
 public:
  // All ranks pass windows of the same names. The pieces of a window differ from rank to rank; what
  // several ranks hold must be equal. All functions but tensors() and slots() communicate.
  WholeState(Communicator& ranks, std::vector<StateWindow> windows);

  void gather();   // from all ranks to rank 0
  void scatter();  // from rank 0 to the ranks that hold the values

  // The windows of the whole state. Only rank 0 has all values.
  std::vector<NamedTensor> tensors() const { return named<NamedTensor>(); }
  std::vector<TensorSlot> slots() const { return named<TensorSlot>(); }

 private:
  template <class Named>
  std::vector<Named> named() const;
  int64_t whole_size(size_t window) const;
  // Calls `copy` with each piece of a rank's values in the whole window, on rank 0, and the piece's
  // place among the values of the rank.
  template <class Copy>
  void for_pieces(size_t window, int rank, Copy&& copy) const;

  Communicator& ranks_;
  const std::vector<StateWindow> windows_;
  std::vector<std::vector<FlatRanges>> pieces_;  // [rank][window]
  std::vector<Buffer<real>> memory_;             // on rank 0: room for what other ranks hold
  std::vector<std::span<real>> wholes_;  // all values of each window; may be empty elsewhere
};

}  // namespace calque
