#include "core/products/packed_weights.h"

#include <utility>

#include "core/products/few_rows.h"

namespace calque {
namespace {

thread_local const PackedWeights* in_use = nullptr;

bool same(const Matrix& x, const Matrix& y) {
  return x.data == y.data && x.rows == y.rows && x.cols == y.cols && x.stride == y.stride &&
         x.flipped == y.flipped;
}

PackedMatrix packed(const Matrix& m) {
  return m.flipped ? PackedMatrix(strided(m), m.cols, m.rows)
                   : PackedMatrix(strided(m), m.rows, m.cols);
}

}  // namespace

PackedWeights::PackedWeights(const std::vector<Matrix>& right_sides) {
  if (!own_product_is_faster()) return;
  for (const Matrix& right_side : right_sides) {
    if (!right_side.rounded && !right_side.compact)
      entries_.push_back({right_side, packed(right_side)});
  }
}

bool PackedWeights::worthwhile(int64_t rows) {
  return own_product_is_faster() && !has_few_rows({nullptr, rows, 1});
}

const PackedMatrix* PackedWeights::find(const Matrix& right_side) {
  if (!in_use) return nullptr;
  for (const Entry& entry : in_use->entries_) {
    if (same(entry.original, right_side)) return &entry.copy;
  }
  return nullptr;
}

PackedWeights::Use::Use(const PackedWeights& weights) : before_(std::exchange(in_use, &weights)) {}
PackedWeights::Use::~Use() { in_use = before_; }

}  // namespace calque
