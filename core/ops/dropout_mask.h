#pragma once
// Which elements are dropped out, as a function of a random stream and the element's number: the
// forward and the backward pass both compute it, nothing is stored. Each element costs 16 random
// bits, so p is rounded to a multiple of 1/65536, and the survivors are scaled by exactly 1 / (1 -
// p).

#include <cstdint>

#include "core/random.h"
#include "core/real.h"
#include "core/tensor.h"

namespace calque {

class DropoutMask {
 public:
  DropoutMask() = default;  // drops nothing
  DropoutMask(const Stream& stream, real p);

  bool active() const { return threshold_ > 0; }

  // Of Philox4x32, for each block of 128 bits: eight elements. Seven are the fewest that pass every
  // test of its authors (BigCrush): enough for a mask, and dropout waits for them.
  static constexpr int rounds = 7;

  // Elements come in groups of this many; asking for whole groups wastes nothing.
  static constexpr int64_t group = 128;

  // The factors, 0 or 1 / (1 - p), of the elements [first, first + count).
  void factors(int64_t first, int64_t count, real* out) const;

  // to (+)= factor from, for a whole array.
  void apply(int64_t size, const real* from, Sink to) const;

 private:
  void whole_group(int64_t number, real* out) const;

  Stream stream_;
  uint32_t threshold_ = 0;  // of 65536
  real scale_ = 1;
};

// The mask of the next op on the tape: inactive when no tape is alive or p is 0.
DropoutMask next_dropout_mask(const char* op, real p);

}  // namespace calque
