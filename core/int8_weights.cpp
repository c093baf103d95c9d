#include "core/int8_weights.h"

#include <memory>

#include "core/products/int8/matrix.h"
#include "core/threads/rows.h"
#include "core/weight_side.h"

namespace calque {
void round_weights_to_int8(const Parameters& parameters) {
  for (const Parameters::Entry& entry : parameters.entries()) {
    const WeightSide side = side_of(entry.role, entry.shape);
    if (side == WeightSide::none) continue;
    const int64_t rows = entry.shape[0], cols = entry.shape[1];
    const Matrix weight(entry.tensor.data(), rows, cols);
    const bool flipped = side == WeightSide::transposed;
    auto rounded = std::make_shared<const Int8Matrix>(flipped ? transposed(weight) : weight);
    for_each_row(rows, cols, [&](int64_t r) {
      real* row = entry.tensor.data() + r * cols;
      for (int64_t c = 0; c < cols; ++c) row[c] = flipped ? rounded->at(c, r) : rounded->at(r, c);
    });
    entry.tensor.values().round_for_products(std::move(rounded));
  }
}

}  // namespace calque
