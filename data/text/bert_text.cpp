#include "data/text/bert_text.h"

#include <utf8proc.h>

#include <array>
#include <span>
#include <unordered_map>

#include "data/text/code_points.h"
#include "data/text/lowercase.h"
#include "data/text/utf8.h"

namespace calque {

extern const std::string_view bert_characters;

namespace {

struct BertCharacters {
  CodePointSet removed, space, alone, punctuation, marks;
  std::unordered_map<char32_t, std::string_view> letters;  // that utf8proc reads otherwise

  // The file has five lines of ranges, an empty line, and then lines with a text and the character
  // that uncased models read as this text.
  explicit BertCharacters(std::string_view file) {
    for (CodePointSet* set : {&removed, &space, &alone, &punctuation, &marks}) {
      *set = parse_ranges(cut(file, '\n'));
    }
    cut(file, '\n');
    while (!file.empty()) {
      std::string_view others = cut(file, '\n');
      const std::string_view letter = cut(others, ' ');
      for (size_t at = 0; at < others.size();) letters[next_code_point(others, at)] = letter;
    }
  }
};

const BertCharacters& characters() {
  static const BertCharacters all(bert_characters);
  return all;
}

// Appends what uncased models read: the small letters of the canonical decomposition without marks.
void append_plain(char32_t point, std::string& out) {
  if (point < 0x80) return out.push_back(ascii_lowercase(static_cast<char>(point)));
  const auto letter = characters().letters.find(point);
  if (letter != characters().letters.end()) {
    out += letter->second;
    return;
  }
  std::array<utf8proc_int32_t, 4> parts{};  // no canonical decomposition is longer
  const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point), parts.data(),
                                             parts.size(), UTF8PROC_DECOMPOSE, nullptr);
  for (const auto part : std::span(parts).first(static_cast<size_t>(count))) {
    const auto own = static_cast<char32_t>(part);
    if (count == 1 || !holds(characters().marks, own)) append_utf8(lowercase(own), out);
  }
}

std::string clean(std::string_view text, bool uncased) {
  const BertCharacters& all = characters();
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t point = next_code_point(text, at);
    const std::string_view own = text.substr(begin, at - begin);
    if (holds(all.space, point)) {
      out += ' ';
      continue;
    }
    if (holds(all.removed, point) || (uncased && holds(all.marks, point))) continue;
    const bool alone = holds(all.alone, point);
    if (alone) out += ' ';
    if (uncased) {
      append_plain(point, out);
    } else {
      out += own;
    }
    if (alone) out += ' ';
  }
  return out;
}

}  // namespace

void for_each_bert_word(std::string_view text, bool uncased,
                        const std::function<void(std::string_view)>& visit) {
  const std::string cleaned = clean(text, uncased);
  const std::string_view all = cleaned;
  size_t begin = 0;  // of the word
  for (size_t at = 0; at < all.size();) {
    const size_t here = at;
    const bool space = all[here] == ' ';
    const bool single = holds(characters().punctuation, next_code_point(all, at));
    if (!space && !single) continue;
    if (here > begin) visit(all.substr(begin, here - begin));
    if (single) visit(all.substr(here, at - here));
    begin = at;
  }
  if (begin < all.size()) visit(all.substr(begin));
}

}  // namespace calque
