#pragma once
// Thins the rows of a plot. Consecutive rows share a bucket. Each bucket keeps its first and last
// row, and for each column a row with the smallest and a row with the largest value, so no spike is
// lost.

#include <cstddef>
#include <span>
#include <vector>

namespace calque {

// The indices of the rows to keep, ascending: all of them if there are at most `limit`, otherwise
// at most max(limit, 2 * columns.size() + 2). Each column has `rows` values. NaN is never an
// extreme.
std::vector<size_t> rows_with_extremes(size_t rows,
                                       std::span<const std::vector<double>* const> columns,
                                       size_t limit);

}  // namespace calque
