#pragma once
// Whether attention's result is kept for the backward pass or made again there: shared by the op
// and by whoever foretells its memory.

#include <cstdint>

namespace calque {

// Not kept where a query meets so few keys (there are `pairs` in all) that to make it again takes
// less than a twelfth of what the three products of the projection behind it take, 6 d^2 FLOPs a
// query: 4 d a pair, and as many as for 16 pairs more, since short rows leave vectors half empty.
inline bool attention_is_made_again(double pairs, double queries, int64_t d) {
  return 8 * (pairs + 16 * queries) <= static_cast<double>(d) * queries;
}

}  // namespace calque
