#pragma once
// The gradient of a step that consists of P parts, where P is a power of two: the gradients of the
// parts, each computed from zero, are added in a binary tree that depends on P alone:
//
//   P = 4:   (g0 + g1) + (g2 + g3)
//
// Sums are rounded to float. With Precision::bfloat16 the terms of each sum are first rounded to
// bfloat16, so that ranks can exchange them in half the bytes, at the price of precision. Parts are
// added in order, as in a binary counter: two sums of equally many parts are added as soon as both
// exist, so that at most log2 P flat buffers (one if P = 1) exist at a time. Any aligned subtree
// can be computed on another rank, so that several ranks compute the same bits as one.

#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/pool.h"
#include "core/products/blas.h"
#include "optim/flat.h"

namespace calque {

// The flat buffer in equal blocks of whole cache lines, one for each part. The last blocks may
// extend beyond the parameters, where all numbers are zero.
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
  // The sum of the parts so far, whose number must be a power of two. It has the layout of the
  // parameters, with zeros in gaps, beyond the last parameter and for frozen parameters.
  std::span<real> sum();
  void clear();  // frees the memory

  // The maximum number of buffers that `parts` parts need at a time.
  static int64_t buffers_for(int64_t parts);

 private:
  const Parameters& parameters_;
  const FlatBlocks blocks_;
  const Precision precision_;
  std::vector<FlatSlice> slices_;
  std::vector<Buffer<real>> sums_;  // each of fewer parts than the one before
  int64_t parts_ = 0;
};

// The sum of the squares of each block from `first` on.
std::vector<double> squares_of_blocks(std::span<const real> gradient, const FlatBlocks& blocks,
                                      int64_t first, int64_t count);
// The norm of the whole gradient, from the sums of squares of all blocks.
double norm_of_blocks(std::span<const double> squares);

}  // namespace calque
