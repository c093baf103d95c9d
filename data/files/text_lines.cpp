#include "data/files/text_lines.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "data/files/packed_files.h"

namespace calque {
namespace {

constexpr size_t scan_size = 1 << 20;

std::string_view without_line_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The offset of the text: 3 after a byte-order mark, otherwise 0.
int64_t text_start(const File& file, const std::string& path) {
  char mark[3] = {};
  const std::string_view start(mark, file.read_at(0, mark));
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) {
    fail("{}: is UTF-16; convert it with `iconv -f UTF-16 -t UTF-8`", path);
  }
  return start == "\xEF\xBB\xBF" ? 3 : 0;
}

}  // namespace

TextLines::TextLines(const std::string& path, Empty empty)
    : path_(path), file_(open_unpacked(path)) {
  index_lines();
  if (count() == 0 && empty == Empty::refused) fail("{}: the file is empty", path_);
}

TextLines::TextLines(std::string path, File file) : path_(std::move(path)), file_(std::move(file)) {
  index_lines();
}

void TextLines::index_lines() {
  int64_t at = text_start(file_, path_);
  starts_.push_back(at);
  std::vector<char> buffer(scan_size);
  while (const size_t got = file_.read_at(at, buffer)) {
    const char* const end = buffer.data() + got;
    for (const char* from = buffer.data(); from < end;) {
      const auto* newline = static_cast<const char*>(std::memchr(from, '\n', end - from));
      if (!newline) break;
      from = newline + 1;
      starts_.push_back(at + (from - buffer.data()));
    }
    at += static_cast<int64_t>(got);
  }
  if (starts_.back() < at) starts_.push_back(at);
}

LineBlock TextLines::read(int64_t first, int64_t lines, int64_t bytes) const {
  require(first >= 0 && first < count(), "TextLines: line {} of {}", first, count());
  const auto size = [this](int64_t i) { return starts_[i + 1] - starts_[i]; };
  const auto too_long = [&](int64_t i) { return size(i) > longest_line + 2; };
  LineBlock block;
  if (too_long(first)) {
    block.lines.push_back({.text = {}, .too_long = true});
    return block;
  }
  int64_t end = first + 1;
  const int64_t limit = std::min(count(), first + lines);
  while (end < limit && !too_long(end) && starts_[end + 1] - starts_[first] <= bytes) ++end;
  block.bytes.resize(starts_[end] - starts_[first]);
  if (file_.read_at(starts_[first], block.bytes) < block.bytes.size()) {
    fail("{}: became shorter while it was read", path_);
  }
  block.lines.reserve(end - first);
  for (int64_t i = first; i < end; ++i) {
    const char* from = block.bytes.data() + (starts_[i] - starts_[first]);
    block.lines.push_back({.text = without_line_end({from, static_cast<size_t>(size(i))})});
  }
  return block;
}

std::string TextLines::line(int64_t index) const {
  const LineBlock block = read(index, 1, 0);
  if (block.lines.front().too_long) {
    fail("{}: a line of {} bytes; more than {} are no sentence", where(index),
         starts_[index + 1] - starts_[index], longest_line);
  }
  return std::string(block.lines.front().text);
}

std::string TextLines::line_end(int64_t index) const {
  const int64_t size = std::min<int64_t>(2, starts_[index + 1] - starts_[index]);
  std::string end(static_cast<size_t>(size), '\0');
  file_.read_at(starts_[index + 1] - size, end);
  const std::string_view line = without_line_end(end);
  return end.substr(line.size());
}

std::string TextLines::text(int64_t first, int64_t end) const {
  require(first >= 0 && first <= end && end <= count(), "TextLines: lines {} to {} of {}", first,
          end, count());
  std::string text(static_cast<size_t>(bytes(first, end)), '\0');
  if (file_.read_at(starts_[first], text) < text.size()) {
    fail("{}: became shorter while it was read", path_);
  }
  text.resize(without_line_end(text).size());
  size_t kept = 0;  // CR LF becomes LF, in place
  for (size_t i = 0; i < text.size(); ++i) {
    const bool line_end = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!line_end) text[kept++] = text[i];
  }
  text.resize(kept);
  return text;
}

std::string TextLines::where(int64_t index) const { return fmt::format("{}:{}", path_, index + 1); }

}  // namespace calque
