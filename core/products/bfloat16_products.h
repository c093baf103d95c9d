#pragma once
// Products in bfloat16 by instructions for it. The sums of AMX differ from those of AVX512-BF16 in
// the last bits.

#include "core/products/block_loops.h"

namespace calque::product {

enum class Bfloat16Unit { none, avx512, amx };

// The fastest one that this processor has and this library uses.
Bfloat16Unit bfloat16_unit();

// The product by this unit; nullptr for none.
const BlockProduct* bfloat16_product(Bfloat16Unit unit);

}  // namespace calque::product
