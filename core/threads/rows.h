#pragma once
// A parallel loop over rows.

#include <cstdint>

#include "core/threads/parallel.h"

namespace calque {

// Calls body(r) for each of [0, rows), where a row costs about `row_cost` operations; a thread
// computes the rows of a chunk in order.
template <class Body>
void for_each_row(int64_t rows, int64_t row_cost, Body&& body) {
  for_rows(rows, row_cost, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) body(r);
  });
}

}  // namespace calque
