#pragma once
// The inner loops of a product in bfloat16 with AMX, the matrix unit of some Intel processors:
// eight registers of 16 rows of 64 bytes, and an instruction that adds the product of two of them,
// 16 x 32 times 32 x 16 numbers, to a third. Its sums differ from those of AVX512-BF16 in the last
// bits.

#include <cstdint>

#include "core/products/tile.h"

#if defined(__AMX_BF16__) && !defined(CALQUE_DOUBLE)
#define CALQUE_AMX
#endif

namespace calque::product {

// Whether this processor has AMX and the system lets this process use it. False in builds whose
// instruction set lacks it.
bool has_matrix_unit();

#ifdef CALQUE_AMX

// Operands as Bfloat16Pairs, with steps padded to whole registers. A is copied in rows.
struct Bfloat16Tiles : Bfloat16Pairs {
  static constexpr int64_t steps_together = 16;
  static constexpr bool left_in_rows = true;
};

// Like multiply_block(). Reads whole registers of A and B, also beyond m and n, where their numbers
// do not matter.
void multiply_tiles(int64_t m, int64_t n, int64_t steps, Strided a, Panels b,
                    const Destination& to);

#endif

}  // namespace calque::product
