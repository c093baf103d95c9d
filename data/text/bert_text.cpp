#include "data/text/bert_text.h"

#include <algorithm>
#include <unordered_map>

#include "data/text/code_points.h"
#include "data/text/utf8.h"

namespace calque {

extern const std::string_view bert_characters;

namespace {

struct BertCharacters {
  CodePointSet removed, space, alone, punctuation, marks;
  std::unordered_map<char32_t, std::string_view> letters;  // the text that uncased models read

  // The file has five lines of ranges, an empty line, and then lines with a text and the characters
  // that are read as this text.
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

// Appends the letters of a Korean syllable. Returns false for other characters.
bool append_syllable(char32_t point, std::string& out) {
  if (point < 0xAC00 || point > 0xD7A3) return false;
  const char32_t index = point - 0xAC00, last = index % 28;
  append_utf8(0x1100 + index / 588, out);
  append_utf8(0x1161 + index % 588 / 28, out);
  if (last != 0) append_utf8(0x11A7 + last, out);
  return true;
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
    const auto letter = uncased ? all.letters.find(point) : all.letters.end();
    if (letter != all.letters.end()) {
      out += letter->second;
    } else if (!uncased || !append_syllable(point, out)) {
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
