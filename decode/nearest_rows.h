#pragma once
// The rows of a table, ranked by their cosine with a vector.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/tensor.h"

namespace calque {

struct NearRow {
  int32_t row = 0;
  double cosine = 0;
};

class NearestRows {
 public:
  explicit NearestRows(Tensor table);  // [rows, size]

  std::vector<double> unit(int32_t number) const;  // the row scaled to length 1, or zeros

  // The `count` nearest of the rows that `is_candidate` accepts, nearest first. Of rows with equal
  // cosines, the lower index comes first.
  std::vector<NearRow> nearest(const std::vector<double>& to,
                               const std::function<bool(int32_t)>& is_candidate,
                               int64_t count) const;

 private:
  std::span<const real> row(int64_t index) const;

  Tensor table_;
  std::vector<double> lengths_;  // of the rows, above 0
};

}  // namespace calque
