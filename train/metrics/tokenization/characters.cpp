#include "train/metrics/tokenization/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "data/text/lowercase.h"
#include "data/text/regex.h"
#include "data/text/utf8.h"
#include "train/metrics/tokenization/western.h"

namespace calque {
namespace {

utf8proc_category_t category(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

// Most text is ASCII, which is looked up here.
const auto ascii_categories = [] {
  std::array<utf8proc_category_t, 128> all{};
  for (size_t character = 0; character < all.size(); ++character) {
    all[character] = category(static_cast<char32_t>(character));
  }
  return all;
}();

bool has_category(char32_t character, utf8proc_category_t first, utf8proc_category_t last) {
  const auto own = character < 128 ? ascii_categories[character] : category(character);
  return first <= own && own <= last;
}

// Unicode's condition Final_Sigma: the nearest character before that is not ignorable is a cased
// letter, and the nearest one after is not.
const Regex& final_sigma() {
  static const Regex pattern(
      R"((?!\p{Case_Ignorable})\p{Cased}\p{Case_Ignorable}*+\K\x{3A3}(?!\p{Case_Ignorable}*+\p{Cased}))");
  return pattern;
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

// The categories of N, P and S have consecutive numbers in utf8proc.
bool is_number(char32_t character) {
  return has_category(character, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}
bool is_punctuation(char32_t character) {
  return has_category(character, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}
bool is_symbol(char32_t character) {
  return has_category(character, UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO);
}

// str.isspace(): U+0009-000D, 001C-0020, 0085, 00A0, 1680, 2000-200A, 2028, 2029, 202F, 205F, 3000.
size_t space_length(std::string_view text, size_t at) {
  const unsigned char first = byte_at(text, at);
  if (first < 0x80) return within(first, 0x09, 0x0D) || within(first, 0x1C, 0x20) ? 1 : 0;
  if (first != 0xC2 && !within(first, 0xE1, 0xE3)) return 0;  // begins none of these
  size_t end = at;
  const char32_t character = next_code_point(text, end);
  const auto own = category(character);
  const bool separator = own >= UTF8PROC_CATEGORY_ZS && own <= UTF8PROC_CATEGORY_ZP;
  return separator || character == 0x85 ? end - at : 0;
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
  constexpr std::string_view dotted_i = "\u0130", sigma = "\u03A3";
  std::string simple(text);
  if (text.find(dotted_i) != text.npos) simple = replace_all(simple, dotted_i, "i\u0307");
  if (text.find(sigma) != text.npos) simple = final_sigma().replace_all(simple, "\u03C2");
  return lowercase(simple);
}

}  // namespace calque
