#pragma once
// Thins rows without changing the picture. Consecutive rows share a bucket. Each bucket keeps its
// first and last row, and every row that has the smallest or largest value of a column, so no spike
// is lost.

#include <cstddef>
#include <span>
#include <vector>

namespace calque {

// The indices of the rows to keep, ascending: all of them if there are at most `limit`, otherwise
// about `limit`. Each column has `rows` values. NaN is never an extreme.
std::vector<size_t> rows_with_extremes(size_t rows,
                                       std::span<const std::vector<double>* const> columns,
                                       size_t limit);

}  // namespace calque
