#pragma once
// The size of a tile of a product, which is kept in registers (core/products/tile.h).

#include "core/simd/vector.h"

namespace calque {

#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int tile_rows = 12, tile_vectors = 2;  // 24 of 32 registers
#else
constexpr int tile_rows = 6, tile_vectors = 2;  // 12 of 16 registers
#endif
constexpr int64_t tile_cols = tile_vectors * lanes;

}  // namespace calque
