#pragma once
// The gradient of a step that consists of P parts, where P is a power of two: the gradients of the
// parts, each computed from zero, are added in a binary tree that depends on P alone:
//
//   P = 4:   (g0 + g1) + (g2 + g3)
//
// Sums are rounded to float. With Precision::bfloat16 the terms of each sum are first rounded to
// bfloat16, so that ranks can exchange them in half the bytes, at the price of precision. Two sums
// of equally many parts are added as soon as both exist, by the thread that brings the second, so
// that few buffers exist at a time. Any aligned subtree can be computed on another rank, so that
// several ranks compute the same bits as one.

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>
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
  explicit GradientTree(int64_t parts, Precision precision = Precision::full);

  // Adds the gradient of a part. Threads may call it at the same time.
  void add(int64_t part, Buffer<real> gradient);
  // The sum of all parts, after the last add().
  Buffer<real>& sum();
  void clear();  // frees the memory

  // The number of buffers that exist at a time if so many parts are computed at a time.
  static int64_t buffers_for(int64_t parts, int64_t at_a_time);

 private:
  // The sum of parts [number * 2^level, (number + 1) * 2^level).
  struct Node {
    int64_t level, number;
    auto operator<=>(const Node&) const = default;
  };
  Buffer<real> take(const Node& node);

  int64_t parts_;
  Precision precision_;
  std::mutex mutex_;
  std::map<Node, Buffer<real>> sums_;  // those that wait for their neighbour
};

// The sum of the squares of each block from `first` on.
std::vector<double> squares_of_blocks(std::span<const real> gradient, const FlatBlocks& blocks,
                                      int64_t first, int64_t count);
// The norm of the whole gradient, from the sums of squares of all blocks.
double norm_of_blocks(std::span<const double> squares);

}  // namespace calque
