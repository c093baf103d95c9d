#include "data/text/words.h"

#include <algorithm>

#include "data/text/script.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

bool is_word_alone(std::string_view script) {
  constexpr std::string_view scripts[] = {"Han or Kana", "Thai", "Lao", "Khmer", "Myanmar"};
  return std::ranges::find(scripts, script) != std::end(scripts);
}

bool is_space(char32_t point) { return point <= ' ' || point == 0xa0 || point == 0x3000; }

}  // namespace

std::vector<TextRange> word_ranges(std::string_view text, bool signs) {
  std::vector<TextRange> words;
  bool open = false;  // the last word may continue
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t point = next_code_point(text, at);
    const std::string_view script = script_of(point);
    const bool digit = point >= '0' && point <= '9';
    if (script.empty() && !digit) {
      open = false;
      if (signs && !is_space(point)) words.push_back({begin, at});
      continue;
    }
    const bool alone = is_word_alone(script);
    if (open && !alone) {
      words.back().end = at;
    } else {
      words.push_back({begin, at});
    }
    open = !alone;
  }
  return words;
}

}  // namespace calque
