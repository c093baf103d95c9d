#include "data/markup/text_words.h"

#include "data/markup/marked_text.h"
#include "data/sentences/marks.h"
#include "data/text/letter_case.h"
#include "data/text/script.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

// space; alone: a word by itself; inner: in a word; joint: an apostrophe between letters
enum class PartOfWord { space, alone, inner, joint };

PartOfWord part_of_word(char32_t point) {
  if (is_white_space(point)) return PartOfWord::space;
  if (point == '\'' || point == U'\u2019') return PartOfWord::joint;
  if (script_of(point) == "Han or Kana") return PartOfWord::alone;
  if (is_letter(point) || is_digit(point)) return PartOfWord::inner;
  const bool punctuation =
      (point >= 0x2000 && point < 0x2070) || (point >= 0x3000 && point < 0x3040) || point >= 0xFF00;
  return point >= 0x300 && !punctuation ? PartOfWord::inner
                                        : PartOfWord::alone;  // accents and vowel signs
}

}  // namespace

std::vector<TextRange> text_words(std::string_view text) {
  std::vector<TextRange> words;
  bool joins = false;  // whether the next letter belongs to the last word
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (number_of_kept(text.substr(at))) {
      at = text.find(kept_end, at) + kept_end.size();
      words.push_back({begin, at});
      joins = false;
      continue;
    }
    PartOfWord part = part_of_word(next_code_point(text, at));
    if (part == PartOfWord::joint) {
      size_t after = at;
      const bool letter =
          at < text.size() && part_of_word(next_code_point(text, after)) == PartOfWord::inner;
      part = joins && letter ? PartOfWord::inner : PartOfWord::alone;
    }
    if (part == PartOfWord::inner && joins) {
      words.back().end = at;
    } else if (part != PartOfWord::space) {
      words.push_back({begin, at});
    }
    joins = part == PartOfWord::inner;
  }
  return words;
}

bool is_mark(std::string_view word) {
  size_t at = 0;
  return part_of_word(next_code_point(word, at)) != PartOfWord::inner && at == word.size() &&
         !has_words(word);
}

}  // namespace calque
