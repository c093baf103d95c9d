#include "data/text/script.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "data/text/utf8.h"

namespace calque {
namespace {

struct Block {
  char32_t first, last;
  std::string_view script;
};

// Ascending.
constexpr Block blocks[] = {{'A', 'Z', "Latin"},
                            {'a', 'z', "Latin"},
                            {0xC0, 0xD6, "Latin"},
                            {0xD8, 0xF6, "Latin"},
                            {0xF8, 0x24F, "Latin"},
                            {0x370, 0x3FF, "Greek"},
                            {0x400, 0x52F, "Cyrillic"},
                            {0x531, 0x587, "Armenian"},
                            {0x591, 0x5F4, "Hebrew"},
                            {0x620, 0x6FF, "Arabic"},
                            {0x750, 0x77F, "Arabic"},
                            {0x8A0, 0x8FF, "Arabic"},
                            {0x900, 0x97F, "Devanagari"},
                            {0x980, 0x9FF, "Bengali"},
                            {0xA00, 0xA7F, "Gurmukhi"},
                            {0xA80, 0xAFF, "Gujarati"},
                            {0xB00, 0xB7F, "Oriya"},
                            {0xB80, 0xBFF, "Tamil"},
                            {0xC00, 0xC7F, "Telugu"},
                            {0xC80, 0xCFF, "Kannada"},
                            {0xD00, 0xD7F, "Malayalam"},
                            {0xD80, 0xDFF, "Sinhala"},
                            {0xE01, 0xE7F, "Thai"},
                            {0xE80, 0xEFF, "Lao"},
                            {0xF00, 0xFFF, "Tibetan"},
                            {0x1000, 0x109F, "Myanmar"},
                            {0x10A0, 0x10FF, "Georgian"},
                            {0x1100, 0x11FF, "Hangul"},
                            {0x1200, 0x139F, "Ethiopic"},
                            {0x1780, 0x17FF, "Khmer"},
                            {0x1820, 0x18AF, "Mongolian"},
                            {0x1E00, 0x1EFF, "Latin"},
                            {0x1F00, 0x1FFF, "Greek"},
                            {0x3041, 0x30FF, "Han or Kana"},
                            {0x3131, 0x318E, "Hangul"},
                            {0x3400, 0x9FFF, "Han or Kana"},
                            {0xA640, 0xA69F, "Cyrillic"},
                            {0xAC00, 0xD7A3, "Hangul"},
                            {0xF900, 0xFAFF, "Han or Kana"},
                            {0xFB50, 0xFDFB, "Arabic"},
                            {0xFE70, 0xFEFC, "Arabic"},
                            {0x20000, 0x3FFFF, "Han or Kana"}};

}  // namespace

std::string_view script_of(char32_t code_point) {
  const auto* block = std::ranges::lower_bound(blocks, code_point, {}, &Block::last);
  return block != std::end(blocks) && code_point >= block->first ? block->script : "";
}

std::string_view main_script(std::string_view text) {
  std::map<std::string_view, int64_t> letters;
  for (size_t at = 0; at < text.size();) {
    const std::string_view script = script_of(next_code_point(text, at));
    if (!script.empty()) ++letters[script];
  }
  const auto most =
      std::ranges::max_element(letters, {}, [](const auto& each) { return each.second; });
  return most == letters.end() ? "" : most->first;
}

}  // namespace calque
