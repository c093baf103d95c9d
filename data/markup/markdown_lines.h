#pragma once
// A line of a Markdown file, read from left to right. Columns count tabs as CommonMark does.

#include <string_view>
#include <vector>

#include "data/text/text_range.h"

namespace calque {

// The lines of a file from `at` on, without their ends.
std::vector<TextRange> markdown_lines(std::string_view file, size_t at);

class LineCursor {
 public:
  LineCursor(std::string_view file, TextRange line) : file_(file), line_(line), at_(line.begin) {}

  TextRange line() const { return line_; }
  size_t indent() const;  // the columns of the white space here
  bool is_blank() const { return words().begin == line_.end; }
  // Behind the white space, up to the end of the line or the white space there.
  TextRange words() const;
  std::string_view text() const { return words().of(file_); }
  // From here to the end of the line.
  TextRange rest() const { return {at_, line_.end}; }

  // Skips white space of at most so many columns; a tab may be skipped in part.
  void skip_columns(size_t count);
  // Skips white space, and so many bytes of words without tabs.
  void skip_words(size_t bytes);

 private:
  std::string_view file_;
  TextRange line_;
  size_t at_, column_ = 0;
};

}  // namespace calque
