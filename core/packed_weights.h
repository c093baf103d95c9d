#pragma once
// Copies of weights in the order in which products read them. A product copies its right side to
// panels (core/block_product.h) before it multiplies; where the same weights are right sides again
// and again, as in decoding, one copy serves all.
//
//   const PackedWeights packed({{w.data(), in, out}});   // w must stay as it is from here on
//   const PackedWeights::Use use(packed);                // in each thread that multiplies
//   linear(x, w, b);                                     // the same bits, without the copy
//
// Memory: as much as the weights. Where OpenBLAS makes the products nothing is copied.

#include <vector>

#include "core/blas.h"
#include "core/block_product.h"

namespace calque {

class PackedWeights {
 public:
  explicit PackedWeights(const std::vector<Matrix>& right_sides);

  // Whether products copy their right sides when their left ones have so many rows.
  static bool worthwhile(int64_t rows);

  // While one of these lives, products of this thread look for their right sides here.
  class Use {
   public:
    explicit Use(const PackedWeights& weights);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const PackedWeights* before_;
  };

  // The copy of just this right side in what the thread uses, or nothing.
  static const PackedMatrix* find(const Matrix& right_side);

 private:
  struct Entry {
    Matrix original;
    PackedMatrix copy;
  };
  std::vector<Entry> entries_;
};

}  // namespace calque
