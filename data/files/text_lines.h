#pragma once
// Random access to the lines of a text file, plain, gzip or zstd. An index of the line starts is in
// memory (8 bytes per line), the text is not. A line ends only at LF (never at U+2028, U+0085 or a
// form feed). A CR before the LF and a byte-order mark are dropped; the last LF may be missing.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/file.h"

namespace calque {

// In bytes. TextLines::read() does not read a longer line: its text is empty and too_long is set.
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
  // Throws an Error for a file that cannot be read, and for an empty file unless `empty` is
  // allowed.
  enum class Empty { refused, allowed };
  explicit TextLines(const std::string& path, Empty empty = Empty::refused);
  // The lines of an open file; `path` names it in errors.
  TextLines(std::string path, File file);

  const std::string& path() const { return path_; }
  int64_t count() const { return std::ssize(starts_) - 1; }

  // Lines from `first` on: at most `lines` with about `bytes` of text, but at least one.
  LineBlock read(int64_t first, int64_t lines, int64_t bytes) const;

  // One line. Throws an Error if it is too long.
  std::string line(int64_t index) const;

  // LF or CR LF; empty if the last line has none.
  std::string line_end(int64_t index) const;

  // The lines [first, end), of any length, separated by LF.
  std::string text(int64_t first, int64_t end) const;
  // The size of the lines [first, end) in the file.
  int64_t bytes(int64_t first, int64_t end) const { return starts_[end] - starts_[first]; }

  // "train.en:17", counting from 1.
  std::string where(int64_t index) const;

 private:
  void index_lines();

  std::string path_;
  File file_;
  std::vector<int64_t> starts_;  // [lines + 1]  offsets in the file
};

}  // namespace calque
