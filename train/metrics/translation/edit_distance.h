#pragma once
// The edit distance between a hypothesis and a reference, and its edits, as defined by Tercom: only
// the cells within 25 of the table's diagonal are computed, and more in the last row or if the
// reference is much longer than the hypothesis. Among edits of equal cost, keeping or replacing a
// word comes first, then deleting one, then inserting one.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace calque {

// The edits that turn the hypothesis into the reference.
enum class Edit : char { keep, replace, remove, insert, unknown };

class EditTable {
 public:
  // Each word is given by a number. All hypotheses must have the given length.
  EditTable(std::span<const int32_t> reference, size_t hypothesis_length);

  // Returns the distance. Recomputes the table only from the first word on in which the hypothesis
  // differs from the previous one.
  int64_t distance(std::span<const int32_t> hypothesis);

  // The edits of the last hypothesis, from its first word to its last.
  std::vector<Edit> edits() const;

 private:
  struct Cell {
    int32_t cost;
    Edit edit;
  };

  void fill_row(size_t row);
  Cell cell(size_t row, size_t column) const;
  // The columns [begin, end) of a row that are computed, for rows from 1 on.
  size_t band_begin(size_t row) const;
  size_t band_end(size_t row) const;

  std::vector<int32_t> reference_, hypothesis_;
  double length_ratio_;  // reference to hypothesis: the slope of the diagonal
  int64_t band_;
  size_t width_;             // room for a row
  std::vector<Cell> cells_;  // [hypothesis, width]: rows from 1 on, each from its band_begin()
  bool filled_ = false;
};

}  // namespace calque
