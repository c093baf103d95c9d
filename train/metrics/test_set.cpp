#include "train/metrics/test_set.h"

#include <iostream>
#include <string_view>

#include "core/error.h"
#include "data/file.h"
#include "data/text_lines.h"
#include "data/utf8.h"
#include "train/metrics/characters.h"

namespace calque {
namespace {

std::string checked(std::string_view line, const std::string& path, size_t index) {
  if (const auto broken = find_invalid_utf8(line)) {
    fail("{}:{}: not valid UTF-8 (byte {})", path, index + 1, *broken + 1);
  }
  return std::string(without_trailing_space(line));
}

std::vector<std::string> read_standard_input() {
  std::vector<std::string> segments;
  for (std::string line; std::getline(std::cin, line);) {
    segments.push_back(checked(line, "standard input", segments.size()));
  }
  check_standard_input();
  return segments;
}

}  // namespace

std::vector<std::string> read_segments(const std::string& path) {
  if (path == "-") return read_standard_input();
  constexpr int64_t lines_at_once = 4096, bytes_at_once = 1 << 20;
  const TextLines lines(path);
  std::vector<std::string> segments;
  while (static_cast<int64_t>(segments.size()) < lines.count()) {
    const auto first = static_cast<int64_t>(segments.size());
    const LineBlock block = lines.read(first, lines_at_once, bytes_at_once);
    for (const Line& line : block.lines) {
      if (line.too_long) {
        fail("{}: longer than {} bytes, which is no sentence", lines.where(first), longest_line);
      }
      segments.push_back(checked(line.text, path, segments.size()));
    }
  }
  return segments;
}

}  // namespace calque
