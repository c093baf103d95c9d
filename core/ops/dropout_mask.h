#pragma once
// The mask of dropout: a function of a random stream and the element's index. The forward and the
// backward pass both compute it, so no mask is stored. Each element takes 16 random bits, so p is
// rounded to a multiple of 1/65536; elements that are kept are scaled by 1 / (1 - p) of this p.

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

  // Rounds of Philox4x32. Seven are the fewest that pass BigCrush, according to its authors.
  static constexpr int rounds = 7;

  // Factors are computed in groups of this many elements.
  static constexpr int64_t group = 128;

  // The factors, 0 or 1 / (1 - p), of the elements [first, first + count).
  void factors(int64_t first, int64_t count, real* out) const;

  // Writes or adds from[i] * factor of element i to `to`, for a whole array.
  void apply(int64_t size, const real* from, Sink to) const;

 private:
  void whole_group(int64_t number, real* out) const;

  Stream stream_;
  uint32_t threshold_ = 0;  // of 65536
  real scale_ = 1;
};

// The mask of the next op on the tape: inactive without a tape or with p = 0.
DropoutMask next_dropout_mask(const char* op, real p);

}  // namespace calque
