#include "core/int8_weights.h"

#include <memory>

#include "core/products/int8/matrix.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

// Whether the parameter is the right side of a product as it is, [in, out], or transposed.
enum class Side { none, right, transposed };

Side side_of(const Parameters::Entry& entry) {
  if (entry.shape.axes() != 2) return Side::none;
  switch (entry.role) {
    case Role::weight:
      return Side::right;
    case Role::embedding:  // may be tied to the output
    case Role::output:
      return Side::transposed;
    case Role::position:
    case Role::bias:
    case Role::gain:
    case Role::output_bias:
      return Side::none;
  }
  return Side::none;
}

}  // namespace

void round_weights_to_int8(const Parameters& parameters) {
  for (const Parameters::Entry& entry : parameters.entries()) {
    const Side side = side_of(entry);
    if (side == Side::none) continue;
    const int64_t rows = entry.shape[0], cols = entry.shape[1];
    const Matrix weight(entry.tensor.data(), rows, cols);
    const bool flipped = side == Side::transposed;
    auto rounded = std::make_shared<const Int8Matrix>(flipped ? transposed(weight) : weight);
    for_each_row(rows, cols, [&](int64_t r) {
      real* row = entry.tensor.data() + r * cols;
      for (int64_t c = 0; c < cols; ++c) row[c] = flipped ? rounded->at(c, r) : rounded->at(r, c);
    });
    entry.tensor.values().round_for_products(std::move(rounded));
  }
}

}  // namespace calque
