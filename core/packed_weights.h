#pragma once
// Copies of weights as panels. A product copies its right side to panels (core/block_product.h)
// before it multiplies; in decoding, where many products have the same right sides, these copies
// save 8% of the time of a step with a beam of 5.
//
//   const PackedWeights packed({{w.data(), in, out}});   // w must not change afterwards
//   const PackedWeights::Use use(packed);                // in each thread that multiplies
//   linear(x, w, b);                                     // the same bits, without the copy
//
// It takes as much memory as the weights, and copies nothing where OpenBLAS computes the products.

#include <vector>

#include "core/blas.h"
#include "core/block_product.h"

namespace calque {

class PackedWeights {
 public:
  explicit PackedWeights(const std::vector<Matrix>& right_sides);

  // Whether products with so many rows on the left copy their right sides.
  static bool worthwhile(int64_t rows);

  // Makes products on this thread use the copies while it is alive.
  class Use {
   public:
    explicit Use(const PackedWeights& weights);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const PackedWeights* before_;
  };

  // The copy of exactly this right side that the thread uses, or nullptr.
  static const PackedMatrix* find(const Matrix& right_side);

 private:
  struct Entry {
    Matrix original;
    PackedMatrix copy;
  };
  std::vector<Entry> entries_;
};

}  // namespace calque
