#pragma once
// Copies of weights, packed into panels. A product packs its right side into panels
// (core/products/block_product.h) before it multiplies. In decoding, many products have the same
// right sides: packing them once saves 8% of the time of a step with a beam of 5.
//
//   const PackedWeights packed({{w.data(), in, out}});   // w must not change afterwards
//   const PackedWeights::Use use(packed);                // in each thread that multiplies
//   linear(x, w, b);                                     // the same bits, without the copy
//
// The copies take as much memory as the weights. If OpenBLAS computes the products, no copy is
// made.

#include <vector>

#include "core/products/blas.h"
#include "core/products/block_product.h"

namespace calque {

class PackedWeights {
 public:
  explicit PackedWeights(const std::vector<Matrix>& right_sides);

  // Whether products with this many rows on the left pack their right sides.
  static bool worthwhile(int64_t rows);

  // While it is alive, products on this thread use the copies.
  class Use {
   public:
    explicit Use(const PackedWeights& weights);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const PackedWeights* before_;
  };

  // The copy of exactly this right side in the PackedWeights that the thread uses, or nullptr.
  static const PackedMatrix* find(const Matrix& right_side);

 private:
  struct Entry {
    Matrix original;
    PackedMatrix copy;
  };
  std::vector<Entry> entries_;
};

}  // namespace calque
