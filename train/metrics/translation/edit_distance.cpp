#include "train/metrics/translation/edit_distance.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace calque {
namespace {

constexpr int32_t unreached = 1 << 30;

// If the reference is much longer than the hypothesis, the band must be wider, or adjacent rows
// would not overlap.
int64_t band_width(double length_ratio) {
  constexpr int64_t usual = 25;
  if (length_ratio / 2 <= usual) return usual;
  return static_cast<int64_t>(std::ceil(length_ratio / 2 + usual));
}

}  // namespace

EditTable::EditTable(std::span<const int32_t> reference, size_t hypothesis_length)
    : reference_(reference.begin(), reference.end()),
      hypothesis_(hypothesis_length),
      length_ratio_(hypothesis_length == 0 ? 1
                                           : static_cast<double>(reference.size()) /
                                                 static_cast<double>(hypothesis_length)),
      band_(band_width(length_ratio_)),
      width_(std::min(reference.size() + 1, 2 * static_cast<size_t>(band_) + 2)),
      cells_(hypothesis_length * width_) {}

size_t EditTable::band_begin(size_t row) const {
  const auto diagonal = static_cast<int64_t>(std::floor(static_cast<double>(row) * length_ratio_));
  return static_cast<size_t>(std::max<int64_t>(0, diagonal - band_));
}

// The last row always extends to the last column.
size_t EditTable::band_end(size_t row) const {
  const size_t columns = reference_.size() + 1;
  if (row == hypothesis_.size()) return columns;
  const auto diagonal = static_cast<size_t>(std::floor(static_cast<double>(row) * length_ratio_));
  return std::min(columns, diagonal + static_cast<size_t>(band_));
}

EditTable::Cell EditTable::cell(size_t row, size_t column) const {
  if (row == 0) return {static_cast<int32_t>(column), Edit::insert};
  if (column < band_begin(row) || column >= band_end(row)) return {unreached, Edit::unknown};
  return cells_[(row - 1) * width_ + column - band_begin(row)];
}

int64_t EditTable::distance(std::span<const int32_t> hypothesis) {
  require(hypothesis.size() == hypothesis_.size(), "EditTable: {} words instead of {}",
          hypothesis.size(), hypothesis_.size());
  size_t same = 0;
  if (filled_) {
    while (same < hypothesis.size() && hypothesis[same] == hypothesis_[same]) ++same;
  }
  std::ranges::copy(hypothesis, hypothesis_.begin());
  for (size_t row = same + 1; row <= hypothesis.size(); ++row) fill_row(row);
  filled_ = true;
  return cell(hypothesis_.size(), reference_.size()).cost;
}

void EditTable::fill_row(size_t row) {
  const size_t begin = band_begin(row), end = band_end(row);
  Cell* here = &cells_[(row - 1) * width_];
  Cell left{unreached, Edit::unknown};
  Cell above_left = begin > 0 ? cell(row - 1, begin - 1) : left;
  for (size_t j = begin; j < end; ++j) {
    const Cell above = cell(row - 1, j);
    const bool equal = j > 0 && hypothesis_[row - 1] == reference_[j - 1];
    Cell best{unreached, Edit::unknown};
    const auto offer = [&](int32_t cost, Edit edit) {
      if (cost < best.cost) best = {cost, edit};
    };
    offer(above_left.cost + (equal ? 0 : 1), equal ? Edit::keep : Edit::replace);
    offer(above.cost + 1, Edit::remove);
    offer(left.cost + 1, Edit::insert);
    here[j - begin] = left = best;
    above_left = above;
  }
}

std::vector<Edit> EditTable::edits() const {
  std::vector<Edit> backwards;
  size_t row = hypothesis_.size(), column = reference_.size();
  while (row > 0 || column > 0) {
    const Edit edit = cell(row, column).edit;
    require(edit != Edit::unknown, "EditTable: the band does not reach from end to end");
    backwards.push_back(edit);
    if (edit != Edit::insert) --row;
    if (edit != Edit::remove) --column;
  }
  std::ranges::reverse(backwards);
  return backwards;
}

}  // namespace calque
