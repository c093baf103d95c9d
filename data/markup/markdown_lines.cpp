#include "data/markup/markdown_lines.h"

#include <algorithm>

namespace calque {
namespace {

size_t column_behind(char blank, size_t column) {
  return blank == '\t' ? column + 4 - column % 4 : column + 1;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

std::vector<TextRange> markdown_lines(std::string_view file, size_t at) {
  std::vector<TextRange> lines;
  while (at < file.size()) {
    const size_t feed = std::min(file.find('\n', at), file.size());
    size_t end = feed;
    if (end > at && file[end - 1] == '\r') --end;
    lines.push_back({at, end});
    at = feed + 1;
  }
  return lines;
}

size_t LineCursor::indent() const {
  size_t column = column_;
  for (size_t at = at_; at < line_.end && calque::is_blank(file_[at]); ++at) {
    column = column_behind(file_[at], column);
  }
  return column - column_;
}

TextRange LineCursor::words() const {
  size_t begin = at_, end = line_.end;
  while (begin < end && calque::is_blank(file_[begin])) ++begin;
  while (end > begin && calque::is_blank(file_[end - 1])) --end;
  return {begin, end};
}

void LineCursor::skip_columns(size_t count) {
  const size_t last = column_ + count;
  while (at_ < line_.end && calque::is_blank(file_[at_]) && column_ < last) {
    const size_t behind = column_behind(file_[at_], column_);
    if (behind <= last) ++at_;
    column_ = std::min(behind, last);
  }
}

void LineCursor::skip_words(size_t bytes) {
  skip_columns(indent());
  at_ += bytes;
  column_ += bytes;
}

}  // namespace calque
