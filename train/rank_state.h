#pragma once
// The optimizer's state of all ranks together, on rank 0, as a checkpoint has it: each rank has
// that of its share of the parameters, or of its parts. With one rank, the state itself.

#include <vector>

#include "core/memory.h"
#include "optim/flat.h"
#include "ranks/communicator.h"
#include "train/storage/safetensors.h"

namespace calque {

// A part of the state: every rank has the whole, or that for its share of the flat buffer, or one
// rank has it alone.
struct RankWindow {
  enum class Holder { all, shares, one };
  StateWindow window;  // on a rank without it, the name alone
  Holder holder = Holder::all;
  int rank = 0;      // the one
  int64_t size = 0;  // what the one has
};

class WholeState {
 public:
  // Shares are those of `padded` numbers, of which the parameters have the first `size`.
  WholeState(Communicator& ranks, std::vector<RankWindow> windows, int64_t size, int64_t padded);

  void gather();   // from all ranks to rank 0
  void scatter();  // the reverse; those of all ranks go to all

  // Of the whole. Rank 0 alone has all numbers.
  std::vector<NamedTensor> tensors() const { return named<NamedTensor>(); }
  std::vector<TensorSlot> slots() const { return named<TensorSlot>(); }

 private:
  template <class Named>
  std::vector<Named> named() const;
  std::span<real> share_of_rank(size_t window, int rank) const;
  // Copies a window that is not on rank 0 to it, or back.
  void move(size_t window, bool to_first);

  Communicator& ranks_;
  const std::vector<RankWindow> windows_;
  const int64_t size_, padded_;
  std::vector<Buffer<real>> memory_;     // of the shares, together
  std::vector<std::span<real>> wholes_;  // of each window
};

}  // namespace calque
