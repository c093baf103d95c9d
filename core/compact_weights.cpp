#include "core/compact_weights.h"

#include "core/products/compact/matrix.h"
#include "core/weight_side.h"

namespace calque {

std::unique_ptr<CompactMatrix> compact_zeros(Role role, const Shape& shape, Precision form) {
  const WeightSide side = side_of(role, shape);
  if (side == WeightSide::none) return nullptr;
  const bool flipped = side == WeightSide::transposed;
  const int64_t rows = shape[0], cols = shape[1];
  return std::make_unique<CompactMatrix>(form_of(role, form), flipped ? cols : rows,
                                         flipped ? rows : cols, flipped);
}

std::unique_ptr<CompactMatrix> compact_weight(const Parameters::Entry& entry, Precision form) {
  auto matrix = compact_zeros(entry.role, entry.shape, form);
  if (matrix) matrix->put_rows(0, entry.shape[0], entry.values().data());
  return matrix;
}

void round_weight(const Parameters::Entry& entry, Precision form) {
  if (form == Precision::full) return;
  const auto rounded = compact_weight(entry, form);
  if (rounded) rounded->copy_rows(0, entry.shape[0], entry.values().data());
}

}  // namespace calque
