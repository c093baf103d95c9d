#include "data/terms/term_marks.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/text/trimmed.h"

namespace calque {

std::string with_term_marks(std::string_view text, std::span<const TermMark> marks) {
  std::string marked;
  size_t at = 0;
  for (const auto& [range, target] : marks) {
    marked += text.substr(at, range.begin - at);
    marked +=
        fmt::format("{} {} {} {} {}", term_begin, range.of(text), term_target, target, term_end);
    at = range.end;
  }
  marked += text.substr(at);
  return marked;
}

std::string without_term_marks(std::string_view text) {
  std::string plain;
  while (true) {
    const size_t begin = text.find(term_begin);
    const size_t middle = text.find(term_target, begin);
    const size_t end = text.find(term_end, middle);
    plain += text.substr(0, begin);
    if (end == text.npos) return plain += text.substr(std::min(begin, text.size()));
    const size_t term = begin + term_begin.size();
    plain += trimmed(text.substr(term, middle - term), " ");
    text.remove_prefix(end + term_end.size());
  }
}

}  // namespace calque
