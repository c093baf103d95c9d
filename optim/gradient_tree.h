#pragma once
// The gradient of a step of P parts, P a power of two: the parts' gradients, each started from
// zero, added in a binary tree that depends on P alone:
//
//   P = 4:   (g0 + g1) + (g2 + g3)
//
// A sum is rounded to float or, before and at the price of precision, its terms to bfloat16, as
// ranks that exchange gradients may want. Parts are added in order, as a binary counter counts: two
// sums of equally many parts are joined as soon as both are there, so that at most log2 P + 1 flat
// buffers exist at a time. Any aligned subtree can be computed elsewhere: that is how several ranks
// compute the same bits as one.

#include <cstdint>
#include <span>
#include <vector>

#include "core/blas.h"
#include "core/memory.h"
#include "optim/flat.h"

namespace calque {

// The flat buffer in equal blocks of whole cache lines, one for each part. The last ones may end
// behind the parameters, where all numbers are zero.
struct FlatBlocks {
  FlatBlocks(const Parameters& parameters, int64_t count);
  int64_t parts, block;
  int64_t size() const { return parts * block; }
};

class GradientTree {
 public:
  GradientTree(const Parameters& parameters, const FlatBlocks& blocks,
               Precision precision = Precision::full);

  // Adds the gradients in the parameters as the next part.
  void add_part();
  // The sum of the parts so far, of which there must be a power of two; in the layout of the
  // parameters, and zero between and behind them and where they are frozen.
  std::span<real> sum();
  void clear();  // frees the memory

  // The most buffers that `parts` parts need at a time.
  static int64_t buffers_for(int64_t parts);

 private:
  const Parameters& parameters_;
  const FlatBlocks blocks_;
  const Precision precision_;
  std::vector<FlatSlice> slices_;
  std::vector<Buffer<real>> sums_;  // of ever fewer parts
  int64_t parts_ = 0;
};

// The sum of the squares of each block from `first` on.
std::vector<double> squares_of_blocks(std::span<const real> gradient, const FlatBlocks& blocks,
                                      int64_t first, int64_t count);
// The norm of the whole, from those of all blocks.
double norm_of_blocks(std::span<const double> squares);

}  // namespace calque
