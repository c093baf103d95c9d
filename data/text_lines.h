#pragma once
// The lines of a text file in any order, without the text in memory: one pass over the file notes
// where each line starts (8 bytes a line), and reading a line is one read from there. A line ends
// at LF and nowhere else (never at U+2028, U+0085 or a form feed); a CR before the LF, a byte-order
// mark at the start and a missing LF at the end are forgiven. Plain or gzip.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/file.h"

namespace calque {

// A line longer than this is no sentence. It is not read: its text is empty and too_long is set.
inline constexpr int64_t longest_line = 1 << 20;

struct Line {
  std::string_view text;
  bool too_long = false;
};

// Consecutive lines; their texts point into `bytes`.
struct LineBlock {
  std::vector<char> bytes;
  std::vector<Line> lines;
};

class TextLines {
 public:
  // Any Error names the path. A file without a single byte of text is one, unless it is `allowed`.
  enum class Empty { refused, allowed };
  explicit TextLines(const std::string& path, Empty empty = Empty::refused);

  const std::string& path() const { return path_; }
  int64_t count() const { return static_cast<int64_t>(starts_.size()) - 1; }

  // Lines from `first` on: at most `lines` of them, and no more than make about `bytes` of text,
  // but at least one. `first` must be less than count().
  LineBlock read(int64_t first, int64_t lines, int64_t bytes) const;

  // One line; too long is an Error.
  std::string line(int64_t index) const;

  // The lines [first, end) of any length, with LF between each two.
  std::string text(int64_t first, int64_t end) const;
  // How many bytes they take in the file.
  int64_t bytes(int64_t first, int64_t end) const { return starts_[end] - starts_[first]; }

  // "train.en:17", counting from 1 as editors do.
  std::string where(int64_t index) const;

 private:
  void index_lines();

  std::string path_;
  File file_;
  std::vector<int64_t> starts_;  // and, last, where a further line would start
};

}  // namespace calque
