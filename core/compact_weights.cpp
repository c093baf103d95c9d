#include "core/compact_weights.h"

#include "core/products/compact/matrix.h"
#include "core/weight_side.h"

namespace calque {

std::unique_ptr<CompactMatrix> compact_weight(const Parameters::Entry& entry, Precision form) {
  const WeightSide side = side_of(entry.role, entry.shape);
  if (side == WeightSide::none) return nullptr;
  const bool flipped = side == WeightSide::transposed;
  const int64_t rows = entry.shape[0], cols = entry.shape[1];
  auto matrix = std::make_unique<CompactMatrix>(form_of(entry.role, form), flipped ? cols : rows,
                                                flipped ? rows : cols, flipped);
  matrix->put_rows(0, rows, entry.values().data());
  return matrix;
}

void round_weight(const Parameters::Entry& entry, Precision form) {
  if (form == Precision::full) return;
  const auto rounded = compact_weight(entry, form);
  if (rounded) rounded->copy_rows(0, entry.shape[0], entry.values().data());
}

}  // namespace calque
