#include "data/sentences/splitter.h"

#include <algorithm>
#include <optional>

#include "data/sentences/marks.h"
#include "data/text/letter_case.h"
#include "data/text/lowercase.h"
#include "data/text/script.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr size_t longest_quotation = 300;  // in characters

struct Character {
  char32_t point;
  size_t at;  // in the text
};

// "2.", "b)" or "2.)" before an item of a list.
struct ItemMarker {
  char32_t number = 0;  // or the letter
  bool digits = false, period = false, bracket = false;

  ItemMarker next() const {
    ItemMarker other = *this;
    ++other.number;
    return other;
  }
  bool operator==(const ItemMarker&) const = default;
};

// A full stop with what belongs to it: "?!", ".”" or ". . .".
struct FullStop {
  StopMark mark = StopMark::none;
  size_t begin = 0, end = 0;  // in the line
};

struct Rules {
  const LanguageWords& words;
  bool greek, armenian;
};

// Divides one line. Positions are those of its characters.
class LineOfText {
 public:
  LineOfText(std::string_view text, std::vector<Character> characters, size_t end,
             const Rules& rules)
      : text_(text), line_(std::move(characters)), end_(end), rules_(rules) {
    cased_ = std::ranges::any_of(
        line_, [](const Character& each) { return is(each.point, LetterCase::capital); });
  }

  void divide(std::vector<TextRange>& ranges) {
    begin_ = skip_white(0);
    item_ = marker_at(first_word());
    const char32_t bullet = is_bullet(point(begin_)) ? point(begin_) : 0;
    for (size_t i = begin_; i < line_.size();) {
      if (i > begin_ && is_white_space(point(i - 1)) && begins_item(i, bullet)) {
        end_sentence(i, ranges);
      }
      const size_t close = closing_of(i);
      const FullStop stop = close > i ? stop_before(close) : stop_at(i);
      if (stop.mark == StopMark::none) {
        i = std::max(close, i) + 1;
        continue;
      }
      i = stop.end;
      if (i < line_.size() && ends_sentence(stop)) end_sentence(i, ranges);
    }
    end_sentence(line_.size(), ranges);
  }

 private:
  static bool is(char32_t point, LetterCase which) { return letter_case(point) == which; }
  char32_t point(size_t i) const { return i < line_.size() ? line_[i].point : 0; }
  size_t byte(size_t i) const { return i < line_.size() ? line_[i].at : end_; }
  std::string lower(size_t from, size_t to) const {
    return lowercase(text_.substr(byte(from), byte(to) - byte(from)));
  }
  size_t skip_white(size_t i) const {
    while (i < line_.size() && is_white_space(point(i))) ++i;
    return i;
  }

  void end_sentence(size_t end, std::vector<TextRange>& ranges) {
    const size_t next = skip_white(end);
    while (end > begin_ && is_white_space(point(end - 1))) --end;
    if (end > begin_) ranges.push_back({byte(begin_), byte(end)});
    begin_ = next;
  }

  // Where the word of a sentence begins behind a bullet.
  size_t first_word() const { return is_bullet(point(begin_)) ? skip_white(begin_ + 1) : begin_; }

  std::optional<ItemMarker> marker_at(size_t i) const {
    ItemMarker marker;
    if (is_digit(point(i)) && point(i) < 0x80) {
      marker.digits = true;
      for (int digits = 0; point(i) >= '0' && point(i) <= '9' && digits < 3; ++digits, ++i) {
        marker.number = marker.number * 10 + (point(i) - '0');
      }
    } else if (point(i) >= 'a' && point(i) <= 'z') {
      marker.number = point(i++);
    }
    if (point(i) == '.') marker.period = true, ++i;
    if (point(i) == ')') marker.bracket = true, ++i;
    const bool complete = (marker.period || marker.bracket) && is_white_space(point(i));
    const bool ordinal = marker.digits && !marker.bracket && rules_.words.ordinals;
    return complete && marker.number != 0 && !ordinal ? std::optional(marker) : std::nullopt;
  }

  // Whether the next item of the list with which the line begins stands here.
  bool begins_item(size_t i, char32_t bullet) {
    if (bullet != 0) return point(i) == bullet;
    if (!item_ || marker_at(i) != item_->next()) return false;
    item_ = item_->next();
    return true;
  }

  // The position of the mark that closes what is opened here, or the position itself.
  size_t closing_of(size_t i) const {
    const char32_t open = point(i);
    if (!is_opening(open)) return i;
    if (opens_at_word_start(open) && i > 0 && !is_white_space(point(i - 1)) &&
        !is_opening(point(i - 1)) && !is_dash(point(i - 1))) {
      return i;
    }
    const size_t last = std::min(line_.size(), i + longest_quotation);
    int depth = 0;
    for (size_t k = i + 1; k < last; ++k) {
      if (closes(open, point(k))) {
        if (depth-- == 0) return k;
      } else if (point(k) == open) {
        ++depth;
      }
    }
    return i;
  }

  StopMark mark_at(size_t i) const {
    const char32_t c = point(i);
    if (rules_.greek && c == ';') return StopMark::question;
    if (rules_.armenian && c == ':') return StopMark::stop;
    return stop_mark(c);
  }

  FullStop stop_at(size_t i) const {
    FullStop stop{.mark = mark_at(i), .begin = i, .end = i + 1};
    if (stop.mark == StopMark::none) return stop;
    while (true) {
      const size_t k = stop.end;
      const StopMark mark = mark_at(k);
      const bool spaced =
          point(k) == ' ' && point(k + 1) == '.' && point(k - 1) == '.' &&
          (k + 2 >= line_.size() || point(k + 2) == ' ' || is_closing(point(k + 2)));
      if (mark == StopMark::period || mark == StopMark::ellipsis || spaced) {
        if (stop.mark == StopMark::period) stop.mark = StopMark::ellipsis;
      } else if (mark != StopMark::none) {
        stop.mark = std::max(stop.mark, mark);
      } else if (!is_closing(point(k)) || opens_word(k)) {
        return stop;
      }
      stop.end = k + (spaced ? 2 : 1);
    }
  }

  // Whether a straight quote opens a quotation: "He left. 'Why?'"
  bool opens_word(size_t i) const {
    return is_opening(point(i)) && is_white_space(point(i - 1)) && !is_white_space(point(i + 1));
  }

  // The full stop inside a quotation that is closed here, or the one behind it.
  FullStop stop_before(size_t close) const {
    size_t begin = close;
    while (begin > begin_ && mark_at(begin - 1) != StopMark::none) --begin;
    if (begin == close) return {};
    return stop_at(begin);
  }

  bool ends_sentence(const FullStop& stop) const {
    if (stop.begin == begin_) return false;  // "... and so on"
    const char32_t after = point(stop.end);
    if (stop.mark == StopMark::stop && !is_white_space(after)) {
      constexpr std::u32string_view continuing = U",;:)\u3001\uFF0C\uFF1B\uFF1A\u060C";
      return !is_closing(point(stop.end - 1)) && continuing.find(after) == continuing.npos &&
             !is(after, LetterCase::small);
    }
    if (!is_white_space(after)) return false;
    bool breaks = false;
    size_t next = stop.end;
    for (; is_white_space(point(next)); ++next) breaks |= !is_no_break_space(point(next));
    if (!breaks || next >= line_.size()) return false;
    constexpr std::u32string_view joining = U",;:)]}/|&=+%\u060C\u3001\uFF0C";
    if (joining.find(point(next)) != joining.npos) return false;
    const bool dots = point(next) == U'\u2026' || (point(next) == '.' && point(next + 1) == '.');
    if (dots && stop.mark != StopMark::ellipsis) return true;
    next = first_letter(next);
    const LetterCase letter = letter_case(point(next));
    if (letter == LetterCase::small && (cased_ || stop.mark == StopMark::ellipsis)) return false;
    if (stop.mark == StopMark::ellipsis) return letter != LetterCase::none;
    return stop.mark != StopMark::period || period_ends(stop.begin, next);
  }

  // Behind quotes, brackets, dashes and dots that begin a sentence.
  size_t first_letter(size_t i) const {
    while (i < line_.size() &&
           (is_opening(point(i)) || is_dash(point(i)) || is_bullet(point(i)) ||
            is_white_space(point(i)) || point(i) == '.' || point(i) == U'\u2026')) {
      ++i;
    }
    return i;
  }

  // A period is ambiguous: the word before it and the word after it decide.
  bool period_ends(size_t period, size_t next) const {
    size_t begin = period;
    const auto inside = [&](char32_t c) {
      return !is_white_space(c) && !is_opening(c) && !is_bullet(c) && c != U'\u2019' &&
             c != U'\u2013' && c != U'\u2014';
    };
    while (begin > begin_ && inside(point(begin - 1))) --begin;
    const std::string word = lower(begin, period);
    const LanguageWords& words = rules_.words;
    if (words.never.contains(word)) return false;
    if (begin == first_word() && marker_at(begin)) return false;  // a. The first item
    const bool before_number = is_digit(point(next)) || is_roman(next);
    if (words.number.contains(word) && before_number) return false;
    if (is_number(begin, period)) {
      if (begin == first_word()) return false;  // 1. The first item
      return !(words.ordinals && period - begin <= 2) || starts(next);
    }
    const bool roman = words.ordinals && is_roman(begin) && period - begin <= 5;
    const bool ambiguous =
        words.abbreviations.contains(word) || is_initials(begin, period) || roman;
    return !ambiguous || starts(next);
  }

  // Whether a word has a capital here only because it begins a sentence.
  bool starts(size_t next) const {
    size_t end = next;
    while (!is(point(end), LetterCase::none)) ++end;
    const bool initial = end == next + 1 && point(end) == '.';
    return !initial && !is(point(next), LetterCase::small) &&
           rules_.words.starters.contains(lower(next, end));
  }

  // Digits, also behind a dash as in "1. -3. Juni".
  bool is_number(size_t from, size_t to) const {
    if (is_dash(point(from))) ++from;
    for (size_t i = from; i < to; ++i) {
      if (!is_digit(point(i))) return false;
    }
    return from < to;
  }

  bool is_roman(size_t i) const {
    constexpr std::u32string_view digits = U"IVXLC";
    const size_t from = i;
    while (digits.find(point(i)) != digits.npos) ++i;
    return i > from && is(point(i), LetterCase::none) && !starts(from);
  }

  // A letter, or several with periods between them: "E", "U.S", "z.B".
  bool is_initials(size_t from, size_t to) const {
    size_t letters = 0, longest = 0, periods = 0;
    for (size_t i = from; i < to; ++i) {
      if (point(i) == '.') {
        letters = 0, ++periods;
      } else if (is(point(i), LetterCase::none)) {
        return false;
      } else {
        longest = std::max(longest, ++letters);
      }
    }
    return longest == 1 || (longest == 2 && periods > 0);
  }

  std::string_view text_;
  std::vector<Character> line_;
  size_t end_;  // in the text
  Rules rules_;
  bool cased_ = false;  // whether the line has capitals
  size_t begin_ = 0;    // of the sentence
  std::optional<ItemMarker> item_;
};

}  // namespace

SentenceSplitter::SentenceSplitter(std::string_view language, const LanguageWords& learnt)
    : words_(words_of_language(language)) {
  words_.add(learnt);
  const std::string_view code = language.substr(0, language.find_first_of("-_"));
  greek_ = code == "el";
  armenian_ = code == "hy";
}

std::vector<TextRange> SentenceSplitter::split(std::string_view text) const {
  std::vector<TextRange> ranges;
  std::vector<Character> line;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t point = next_code_point(text, at);
    if (!is_line_end(point)) line.push_back({point, begin});
    if (!is_line_end(point) && at < text.size()) continue;
    const size_t end = is_line_end(point) ? begin : at;
    LineOfText(text, std::move(line), end, {words_, greek_, armenian_}).divide(ranges);
    line.clear();
  }
  return ranges;
}

std::string with_sentences(std::string_view text, std::span<const TextRange> ranges,
                           std::span<const std::string> sentences) {
  std::string whole;
  size_t at = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    whole += text.substr(at, ranges[i].begin - at);
    whole += sentences[i];
    at = ranges[i].end;
  }
  return whole += text.substr(at);
}

}  // namespace calque
