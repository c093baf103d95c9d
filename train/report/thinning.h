#pragma once
// Fewer rows with the same picture: consecutive rows share a bucket, and of each bucket the first
// and the last row stay, and every row that holds a column's smallest or largest value there. A
// spike is never lost.

#include <cstddef>
#include <span>
#include <vector>

namespace calque {

// Indices of the rows to keep, ascending: all of them if there are no more than `limit`, else about
// `limit` at most. Columns hold `rows` values each; NaN is never an extreme.
std::vector<size_t> rows_with_extremes(size_t rows,
                                       std::span<const std::vector<double>* const> columns,
                                       size_t limit);

}  // namespace calque
