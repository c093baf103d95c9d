#include "data/placeholders/accelerator.h"

#include <algorithm>

#include "data/text/letter_case.h"
#include "data/text/lowercase.h"
#include "data/text/script.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

bool is_letter_or_digit(char32_t point) { return is_letter(point) || is_digit(point); }

char32_t code_point_at(std::string_view text, size_t at) {
  return at < text.size() ? next_code_point(text, at) : 0;
}

bool is_reference(std::string_view text, size_t at) {
  const size_t end = text.find(';', at);
  return end != text.npos && end - at <= 9 &&
         std::ranges::all_of(text.substr(at + 1, end - at - 1), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '#';
         });
}

// Whether the only mark of this kind in the text, at `at`, marks a letter: "E&xit", but not "AT&T".
bool marks_letter(std::string_view text, size_t at) {
  const char32_t letter = code_point_at(text, at + 1);
  if (!is_letter_or_digit(letter)) return false;
  const char before = at == 0 ? ' ' : text[at - 1];
  const bool in_word = static_cast<unsigned char>(before) >= 0x80 ||
                       is_letter_or_digit(static_cast<unsigned char>(before));
  if (text[at] == '&') return !is_reference(text, at) && !(in_word && lowercase(letter) != letter);
  const char32_t first = code_point_at(text, 0);
  return !in_word || (lowercase(first) != first && text.find(' ') == text.npos);
}

}  // namespace

std::optional<Accelerator> find_accelerator(std::string_view text) {
  constexpr size_t longest = 200;  // of a label
  if (text.size() > longest) return std::nullopt;
  for (const char mark : {'&', '_'}) {
    const size_t at = text.find(mark);
    if (at == text.npos || text.find(mark, at + 1) != text.npos || !marks_letter(text, at))
      continue;
    std::string without(text);
    without.erase(at, 1);
    return Accelerator{mark, code_point_at(text, at + 1), std::move(without)};
  }
  return std::nullopt;
}

std::string with_accelerator(std::string_view translation, const Accelerator& accelerator,
                             const PlaceholderKinds& kinds) {
  const std::vector<TextRange> taken = find_placeholders(translation, kinds);
  std::optional<size_t> first, same, same_begins_word;
  bool in_word = false;
  for (size_t at = 0; at < translation.size();) {
    const size_t begin = at;
    const char32_t point = next_code_point(translation, at);
    const bool free = std::ranges::none_of(
        taken, [&](const TextRange& range) { return range.begin <= begin && begin < range.end; });
    const bool usable = free && is_letter_or_digit(point);
    if (usable && !first) first = begin;
    if (usable && lowercase(point) == lowercase(accelerator.letter)) {
      if (!same) same = begin;
      if (!in_word && !same_begins_word) same_begins_word = begin;
    }
    in_word = is_letter_or_digit(point);
  }
  std::string text(translation);
  if (!first) return text;
  const std::string_view script = script_of(code_point_at(translation, *first));
  if (!same && (script == "Han or Kana" || script == "Hangul")) {
    size_t end = text.find_last_not_of(" :.\n");
    end = end == text.npos ? text.size() : end + 1;
    while (is_inside_character(text, end)) ++end;
    std::string suffix = std::string("(") + accelerator.mark;
    append_utf8(accelerator.letter, suffix);
    return text.insert(end, suffix + ")");
  }
  return text.insert(same_begins_word.value_or(same.value_or(*first)), 1, accelerator.mark);
}

}  // namespace calque
