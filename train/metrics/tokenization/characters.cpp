#include "train/metrics/tokenization/characters.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "data/text/lowercase.h"
#include "data/text/utf8.h"
#include "train/metrics/tokenization/character_tables.h"

namespace calque {
namespace {

constexpr char32_t dotted_capital_i = 0x130, capital_sigma = 0x3A3, final_sigma = 0x3C2;

bool contains(std::span<const CharacterRange> ranges, char32_t character) {
  const auto after = std::ranges::upper_bound(ranges, character, {}, &CharacterRange::first);
  return after != ranges.begin() && character <= std::prev(after)->last;
}

// Most text is ASCII, which is looked up in a table.
struct CharacterClass {
  std::span<const CharacterRange> ranges;
  std::array<bool, 128> ascii = {};

  explicit CharacterClass(std::span<const CharacterRange> all) : ranges(all) {
    for (char32_t character = 0; character < 128; ++character) {
      ascii[character] = contains(ranges, character);
    }
  }
  bool has(char32_t character) const {
    return character < 128 ? ascii[character] : contains(ranges, character);
  }
};

const CharacterClass punctuation{punctuation_ranges}, symbols{symbols_ranges},
    numbers{numbers_ranges};

bool is_cased(char32_t character) { return contains(cased_ranges, character); }
bool is_ignorable(char32_t character) { return contains(ignorable_ranges, character); }

// Unicode's condition Final_Sigma: the nearest character before that is not ignorable is a cased
// letter, and the nearest one after is not.
bool ends_word(std::u32string_view text, size_t at) {
  size_t before = at;
  while (before > 0 && is_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  size_t behind = at + 1;
  while (behind < text.size() && is_ignorable(text[behind])) ++behind;
  return behind == text.size() || !is_cased(text[behind]);
}

unsigned char byte_at(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

bool within(unsigned char byte, unsigned char low, unsigned char high) {
  return byte >= low && byte <= high;
}

}  // namespace

std::string well_formed(std::string_view text) {
  std::string clean;
  while (const auto broken = find_invalid_utf8(text)) {
    clean.append(text.substr(0, *broken));
    append_utf8(0xFFFD, clean);
    text.remove_prefix(*broken + 1);
  }
  return clean.append(text);
}

std::u32string code_points(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  for (size_t at = 0; at < text.size();) characters += next_code_point(text, at);
  return characters;
}

std::string utf8(std::u32string_view characters) {
  std::string text;
  text.reserve(2 * characters.size());
  for (const char32_t character : characters) append_utf8(character, text);
  return text;
}

bool is_punctuation(char32_t character) { return punctuation.has(character); }
bool is_symbol(char32_t character) { return symbols.has(character); }
bool is_number(char32_t character) { return numbers.has(character); }

// str.isspace(): U+0009-000D, 001C-0020, 0085, 00A0, 1680, 2000-200A, 2028, 2029, 202F, 205F, 3000.
size_t space_length(std::string_view text, size_t at) {
  const unsigned char first = byte_at(text, at);
  if (first < 0x80) return within(first, 0x09, 0x0D) || within(first, 0x1C, 0x20) ? 1 : 0;
  const unsigned char second = byte_at(text, at + 1), third = byte_at(text, at + 2);
  if (first == 0xC2) return second == 0x85 || second == 0xA0 ? 2 : 0;
  if (first == 0xE1) return second == 0x9A && third == 0x80 ? 3 : 0;
  if (first == 0xE3) return second == 0x80 && third == 0x80 ? 3 : 0;
  if (first != 0xE2) return 0;
  if (second == 0x81) return third == 0x9F ? 3 : 0;
  const bool space = within(third, 0x80, 0x8A) || within(third, 0xA8, 0xA9) || third == 0xAF;
  return second == 0x80 && space ? 3 : 0;
}

std::string_view without_trailing_space(std::string_view text) {
  while (!text.empty()) {
    size_t start = text.size() - 1;
    while (start > 0 && within(byte_at(text, start), 0x80, 0xBF)) --start;
    if (space_length(text, start) == 0) break;
    text = text.substr(0, start);
  }
  return text;
}

std::string without_spaces(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t space = space_length(text, at);
    if (space == 0) kept += text[at];
    at += std::max<size_t>(space, 1);
  }
  return kept;
}

void split_words(std::string_view text, std::vector<std::string_view>& words) {
  words.clear();
  for (size_t at = 0; at < text.size();) {
    if (const size_t space = space_length(text, at)) {
      at += space;
      continue;
    }
    const size_t start = at;
    while (at < text.size() && space_length(text, at) == 0) ++at;
    words.push_back(text.substr(start, at - start));
  }
}

std::string full_lowercase(std::string_view text) {
  constexpr std::string_view i_bytes = "\u0130", sigma_bytes = "\u03A3";
  if (text.find(i_bytes) == text.npos && text.find(sigma_bytes) == text.npos) {
    return lowercase(text);
  }
  const std::u32string characters = code_points(text);
  std::string lower;
  std::u32string plain;
  const auto flush = [&] {
    lower += lowercase(utf8(plain));
    plain.clear();
  };
  for (size_t at = 0; at < characters.size(); ++at) {
    if (characters[at] == dotted_capital_i) {
      flush();
      lower += "i\u0307";
    } else if (characters[at] == capital_sigma && ends_word(characters, at)) {
      flush();
      append_utf8(final_sigma, lower);
    } else {
      plain += characters[at];
    }
  }
  flush();
  return lower;
}

}  // namespace calque
