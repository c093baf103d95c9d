#include "core/products/bfloat16_products.h"

#include <algorithm>
#include <array>

#include "core/processor.h"
#include "core/products/amx.h"

namespace calque::product {

#if defined(__AVX512BF16__) && defined(__AMX_BF16__) && !defined(CALQUE_DOUBLE)

namespace {

constexpr int64_t block = 2 * amx::side;  // C is computed in squares of four registers

// A square of C in memory.
struct Square {
  real* data;
  int64_t stride;
};

// c = a b, or c += a b, for a square; the second half of its rows only if `both`.
void multiply_square(int64_t steps, Strided a, const real* b, bool add, Square c, bool both) {
  constexpr auto bytes = [](int64_t words) { return static_cast<long>(words * 4); };
  real* const lower = c.data + amx::side * c.stride;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  if (add) {
    _tile_loadd(0, c.data, bytes(c.stride));
    _tile_loadd(1, c.data + amx::side, bytes(c.stride));
  }
  if (add && both) {
    _tile_loadd(2, lower, bytes(c.stride));
    _tile_loadd(3, lower + amx::side, bytes(c.stride));
  }
  for (int64_t step = 0; step < steps; step += amx::side) {
    const real* const right = b + step * block;
    _tile_loadd(6, right, bytes(block));
    _tile_loadd(7, right + amx::side, bytes(block));
    _tile_loadd(4, a.data + step, bytes(a.row));
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if (!both) continue;
    _tile_loadd(5, a.data + amx::side * a.row + step, bytes(a.row));
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, c.data, bytes(c.stride));
  _tile_stored(1, c.data + amx::side, bytes(c.stride));
  if (!both) return;
  _tile_stored(2, lower, bytes(c.stride));
  _tile_stored(3, lower + amx::side, bytes(c.stride));
}

// Calls body(row, column, count) for the vectors of a square.
template <class Body>
void for_vectors(int64_t rows, int64_t cols, const Body& body) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; c += lanes) body(r, c, std::min(lanes, cols - c));
  }
}

// Whole squares that need no scale and no finish are read and written in place, all others through
// a copy. Either way the sum of a number begins with C.
void multiply_tiles(int64_t m, int64_t n, int64_t steps, Strided a, Panels b,
                    const Destination& to) {
  static_assert(tile_cols == block && lanes == amx::side);
  const amx::Registers registers;
  alignas(64) std::array<real, block * block> numbers;
  const bool adds = to.c.add && to.scale == 1;
  const bool plain = to.scale == 1 && !to.finish.bias && !to.finish.relu;
  for (int64_t j = 0; j < n; j += block) {
    for (int64_t i = 0; i < m; i += block) {
      const int64_t rows = std::min(block, m - i), cols = std::min(block, n - j);
      const bool in_place = plain && cols == block && (rows == block || rows == amx::side);
      Destination part = to.at(i, j);
      const Square square =
          in_place ? Square{part.c.data, to.stride} : Square{numbers.data(), block};
      const auto at = [&](int64_t r, int64_t c) { return square.data + r * block + c; };
      if (adds && !in_place) {
        for_vectors(rows, cols, [&](int64_t r, int64_t c, int64_t count) {
          store(at(r, c), load_up_to(part.c.data + r * to.stride + c, count));
        });
      }
      multiply_square(steps, a.from(i, 0), b.data + j / block * b.panel, adds, square,
                      rows > amx::side);
      if (in_place) continue;
      part.c.add = to.c.add && !adds;
      for_vectors(rows, cols, [&](int64_t r, int64_t c, int64_t count) {
        put(part, r, c, count, load(at(r, c)));
      });
    }
  }
}

// Operands as Bfloat16Pairs, with steps padded to whole registers. A is copied in rows.
struct Bfloat16Tiles : Bfloat16Pairs<Bfloat16InHardware> {
  static constexpr int64_t steps_together = amx::side;
  static constexpr bool left_in_rows = true;

  // Like multiply_block(). Reads whole registers of A and B, also beyond m and n, where their
  // numbers do not matter.
  static void multiply(int64_t m, int64_t n, int64_t steps, Strided a, Panels b,
                       const Destination& to) {
    multiply_tiles(m, n, steps, a, b, to);
  }
};

}  // namespace

Bfloat16Unit bfloat16_unit() {
  if (!processor_has(Extension::avx512_bf16)) return Bfloat16Unit::none;
  return processor_has(Extension::amx_bf16) ? Bfloat16Unit::amx : Bfloat16Unit::avx512;
}

const BlockProduct* bfloat16_product(Bfloat16Unit unit) {
  switch (unit) {
    case Bfloat16Unit::none:
      return nullptr;
    case Bfloat16Unit::avx512:
      return &block_product_of<Bfloat16Pairs<Bfloat16InHardware>>;
    case Bfloat16Unit::amx:
      return &block_product_of<Bfloat16Tiles>;
  }
  return nullptr;
}

#else

Bfloat16Unit bfloat16_unit() { return Bfloat16Unit::none; }

const BlockProduct* bfloat16_product(Bfloat16Unit) { return nullptr; }

#endif

}  // namespace calque::product
