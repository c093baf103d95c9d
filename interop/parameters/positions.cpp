#include "interop/parameters/positions.h"

#include <algorithm>
#include <cmath>

namespace calque {
namespace {

// Other engines round the sinusoids differently.
bool about_equal(const Tensor& a, const Tensor& b) {
  constexpr real tolerance = real(1e-4);
  return std::ranges::equal(a.span(), b.span(),
                            [](real x, real y) { return std::abs(x - y) <= tolerance; });
}

}  // namespace

PositionKind kind_of_table(const Tensor& table) {
  const int64_t rows = table.rows(), d = table.cols();
  if (std::ranges::all_of(table.span(), [](real x) { return x == 0; })) return PositionKind::none;
  if (d % 2 == 0) {
    for (const PositionKind kind : {PositionKind::halves, PositionKind::interleaved}) {
      if (about_equal(table, sinusoids(kind, rows, d))) return kind;
    }
  }
  if (d % 2 == 0 && d >= 4) {
    for (const PositionKind kind : {PositionKind::t2t, PositionKind::fairseq}) {
      if (about_equal(table, sinusoids(kind, rows, d))) return kind;
    }
  }
  return PositionKind::learned;
}

void fill_learned(const Positions& own, const Tensor& table) {
  if (own.kind == PositionKind::learned) std::ranges::copy(table.span(), own.table.data());
}

Tensor position_table(const Positions& positions, int64_t rows, int64_t d_model) {
  if (positions.kind == PositionKind::learned) return positions.table;
  if (!positions.table) return Tensor::zeros({rows, d_model});
  return sinusoids(positions.kind, rows, d_model);
}

int64_t exported_positions(const LayerOptions& layer) {
  return layer.positions == PositionKind::learned ? layer.max_positions
                                                  : std::max<int64_t>(layer.max_positions, 512);
}

}  // namespace calque
