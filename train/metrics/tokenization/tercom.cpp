// Tercom's Normalizer for single lines. Its rules that separate a run of Hiragana or Katakana match
// only at the start of a line. A normalized line begins with a space, so these rules never apply
// and are left out.
#include <algorithm>
#include <array>

#include "train/metrics/tokenization/characters.h"
#include "train/metrics/tokenization/tokenization.h"
#include "train/metrics/tokenization/western.h"

namespace calque {
namespace {

bool within(char32_t character, char32_t first, char32_t last) {
  return character >= first && character <= last;
}

bool is_asian_punctuation(char32_t c) {
  constexpr std::array<char32_t, 9> full_width = {0xFF0E, 0xFF0C, 0xFF1F, 0xFF1A, 0xFF1B,
                                                  0xFF01, 0xFF02, 0xFF08, 0xFF09};
  return c == 0x3001 || c == 0x3002 || within(c, 0x3008, 0x3011) || within(c, 0x3014, 0x301F) ||
         within(c, 0xFF61, 0xFF65) || c == 0x30FB ||
         std::ranges::find(full_width, c) != full_width.end();
}

// Ideographs, including their strokes, radicals, enclosed and compatibility forms, and punctuation.
bool stands_alone(char32_t c) {
  return within(c, 0x2E80, 0x2EFF) || within(c, 0x31C0, 0x31EF) || within(c, 0x3200, 0x4DBF) ||
         within(c, 0x4E00, 0x9FFF) || within(c, 0xF900, 0xFAFF) || within(c, 0xFE30, 0xFE4F) ||
         is_asian_punctuation(c);
}

std::string separate_asian(std::string_view text) {
  std::u32string out;
  for (const char32_t character : code_points(text)) {
    if (stands_alone(character)) {
      out.append({U' ', character, U' '});
    } else {
      out += character;
    }
  }
  return utf8(out);
}

std::string normalize(std::string_view line) {
  std::string text = replace_all(replace_all(line, "\n-", ""), "\n", " ");
  text = separate_symbols(' ' + resolve_entities(std::move(text)) + ' ');
  return separate_number_marks(replace_all(text, "'s ", " 's "));
}

std::string remove_asian_punctuation(std::string_view text) {
  std::u32string characters = code_points(text);
  std::erase_if(characters, is_asian_punctuation);
  return utf8(characters);
}

}  // namespace

std::string tercom_tokenize(std::string_view line, const TercomOptions& options) {
  std::string text = options.case_sensitive ? std::string(line) : full_lowercase(line);
  if (options.normalized && !text.empty()) {
    text = normalize(text);
    if (options.asian_support) text = separate_asian(text);
  }
  if (options.no_punctuation) {
    constexpr std::string_view removed = ".,?:;!\"()";
    std::erase_if(text, [&](char byte) { return removed.find(byte) != removed.npos; });
    if (options.asian_support) text = remove_asian_punctuation(text);
  }
  return text;
}

}  // namespace calque
