// The buckets have equal numbers of rows, or numbers that differ by one.
#include "train/report/figures/thinning.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace calque {

std::vector<size_t> rows_with_extremes(size_t rows,
                                       std::span<const std::vector<double>* const> columns,
                                       size_t limit) {
  std::vector<size_t> kept;
  if (rows <= limit) {
    kept.resize(rows);
    std::iota(kept.begin(), kept.end(), size_t{0});
    return kept;
  }
  const size_t buckets = std::max<size_t>(1, limit / (2 * columns.size() + 2));
  for (size_t bucket = 0; bucket < buckets; ++bucket) {
    const size_t begin = bucket * rows / buckets;
    const size_t end = (bucket + 1) * rows / buckets;
    std::vector<size_t> here = {begin, end - 1};
    for (const std::vector<double>* column : columns) {
      size_t lowest = rows, highest = rows;
      for (size_t row = begin; row < end; ++row) {
        const double value = (*column)[row];
        if (std::isnan(value)) continue;
        if (lowest == rows || value < (*column)[lowest]) lowest = row;
        if (highest == rows || value > (*column)[highest]) highest = row;
      }
      if (lowest != rows) here.insert(here.end(), {lowest, highest});
    }
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    kept.insert(kept.end(), here.begin(), here.end());
  }
  return kept;
}

}  // namespace calque
