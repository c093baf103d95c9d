#include "train/metrics/test_set.h"

#include <iostream>
#include <string_view>

#include "core/error.h"
#include "data/files/file.h"
#include "data/files/text_lines.h"
#include "data/text/utf8.h"
#include "train/metrics/tokenization/characters.h"

namespace calque {
namespace {

std::string checked(const Line& line, const std::string& path, size_t index) {
  const auto refuse = [&](const std::string& problem) {
    fail("{}:{}: {}", path, index + 1, problem);
  };
  if (line.too_long) refuse(fmt::format("more than {} bytes are no sentence", longest_line));
  const std::string problem = utf8_problem(line.text);
  if (!problem.empty()) refuse(problem);
  return std::string(without_trailing_space(line.text));
}

std::vector<std::string> read_standard_input() {
  std::vector<std::string> segments;
  for (std::string line; std::getline(std::cin, line);) {
    if (segments.empty() && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    const bool too_long = std::ssize(line) > longest_line;
    segments.push_back(checked({line, too_long}, "standard input", segments.size()));
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
    for (const Line& line : block.lines) segments.push_back(checked(line, path, segments.size()));
  }
  return segments;
}

}  // namespace calque
