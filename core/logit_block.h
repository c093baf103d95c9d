#pragma once
// How many rows of logits projected_cross_entropy (core/ops.h) holds at once, of each pass where
// there are two.

#include <algorithm>
#include <cstdint>

namespace calque {

// So many that a block is about two million numbers, which is large enough for good matrix
// products; with a large vocabulary more, because each block's products copy the weights to panels,
// which only many rows make up for.
inline int64_t logit_block_rows(int64_t vocabulary) {
  return std::clamp<int64_t>((int64_t{2} << 20) / std::max<int64_t>(1, vocabulary), 192, 1024);
}

}  // namespace calque
