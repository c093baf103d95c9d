#include "decode/constraints/regular_expression.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "data/text/utf8.h"
#include "decode/constraints/character_set.h"

namespace calque {
namespace {

constexpr int deepest_group = 100;
constexpr int64_t largest_repetition = 10'000;

const CodePointSet digit_characters = {{'0', '9'}};
const CodePointSet word_characters = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const CodePointSet space_characters = {{'\t', '\r'}, {' ', ' '}};

struct Alternative {
  Pattern pattern;
  bool begins = false, ends = false;  // whether it has the anchors ^ and $
};

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view expression) {
    if (const std::string problem = utf8_problem(expression); !problem.empty()) {
      fail("the regular expression: {}", problem);
    }
    for (size_t at = 0; at < expression.size();) {
      characters_.push_back(next_code_point(expression, at));
    }
  }

  std::vector<Alternative> parse() {
    std::vector<Alternative> all = alternatives(0);
    if (!ended()) refuse("this ) closes no group");
    return all;
  }

 private:
  [[noreturn]] void refuse(std::string_view problem) const { refuse(at_, problem); }
  [[noreturn]] static void refuse(size_t at, std::string_view problem) {
    fail("character {} of the regular expression: {}", at + 1, problem);
  }

  bool ended() const { return at_ == characters_.size(); }
  bool next_is(char32_t c) const { return !ended() && characters_[at_] == c; }
  bool take(char32_t c) { return next_is(c) && ++at_ > 0; }
  bool take(std::u32string_view text) {
    if (characters_.compare(at_, text.size(), text) != 0) return false;
    at_ += text.size();
    return true;
  }

  std::vector<Alternative> alternatives(int depth) {
    std::vector<Alternative> all;
    do all.push_back(alternative(depth));
    while (take('|'));
    return all;
  }

  Alternative alternative(int depth) {
    Alternative read;
    if (depth == 0 && take('^')) read.begins = true;
    std::vector<Pattern> parts;
    while (!ended() && !next_is('|') && !next_is(')')) {
      if (depth == 0 && take('$')) {
        read.ends = true;
        if (!ended() && !next_is('|'))
          refuse(at_ - 1, "a $ must end the expression or an alternative");
        break;
      }
      parts.push_back(repeated(depth));
    }
    read.pattern = Pattern::sequence(std::move(parts));
    return read;
  }

  Pattern repeated(int depth) {
    Pattern part = atom(depth);
    while (const auto count = repetition()) {
      part = Pattern::repeat(std::move(part), count->first, count->second);
      if (next_is('+')) refuse("possessive repetitions are not supported");
      take('?');  // the shortest match first: the same texts
      if (next_is('*') || next_is('+') || next_is('?'))
        refuse("a repetition of a repetition needs a group");
    }
    return part;
  }

  using Count = std::pair<int64_t, int64_t>;
  std::optional<Count> repetition() {
    if (take('*')) return Count{0, Pattern::unlimited};
    if (take('+')) return Count{1, Pattern::unlimited};
    if (take('?')) return Count{0, 1};
    const size_t begin = at_;
    if (!take('{')) return std::nullopt;
    const auto least = number();
    const bool range = take(',');
    const auto most = range ? number() : least;
    if (!take('}') || (!least && !most)) {
      at_ = begin;  // a brace that is no count is a character
      return std::nullopt;
    }
    const Count count{least.value_or(0), range && !most ? Pattern::unlimited : most.value_or(0)};
    if (std::max(count.first, count.second) > largest_repetition) {
      refuse(begin, fmt::format("the count must be at most {}", largest_repetition));
    }
    if (count.second != Pattern::unlimited && count.second < count.first) {
      refuse(begin, "the second count is less than the first");
    }
    return count;
  }

  std::optional<int64_t> number() {
    std::optional<int64_t> value;
    for (; !ended() && characters_[at_] >= '0' && characters_[at_] <= '9'; ++at_) {
      value = std::min(value.value_or(0) * 10 + static_cast<int64_t>(characters_[at_] - '0'),
                       largest_repetition + 1);
    }
    return value;
  }

  Pattern atom(int depth) {
    const char32_t c = characters_[at_];
    if (c == '*' || c == '+' || c == '?') refuse("there is nothing to repeat");
    if (c == '^' || c == '$') {
      refuse("an anchor is supported only at the ends of the expression or of its alternatives");
    }
    if (take('(')) return group(depth + 1);
    if (take('[')) return Pattern::one_of(set());
    if (take('.')) return Pattern::one_of(without(all_characters(), {{'\n', '\n'}}));
    if (take('\\')) return Pattern::one_of(escape(false));
    ++at_;
    return Pattern::one_of({{c, c}});
  }

  Pattern group(int depth) {
    const size_t begin = at_ - 1;
    if (depth > deepest_group)
      refuse(begin, fmt::format("groups are nested deeper than {}", deepest_group));
    if (take('?')) {
      const bool named = take(U"P<") || (take('<') && !next_is('=') && !next_is('!'));
      if (named) {
        while (!ended() && !next_is('>')) ++at_;
        if (!take('>')) refuse(begin, "the name of the group has no end");
      } else if (!take(':')) {
        refuse(begin, "look-around and other special groups are not supported");
      }
    }
    std::vector<Pattern> parts;
    for (Alternative& each : alternatives(depth)) parts.push_back(std::move(each.pattern));
    if (!take(')')) refuse(begin, "the group has no end");
    return Pattern::choice(std::move(parts));
  }

  // What follows a backslash.
  CodePointSet escape(bool in_set) {
    const size_t begin = at_ - 1;
    if (ended()) refuse(begin, "a character must follow the backslash");
    const char32_t c = characters_[at_++];
    switch (c) {
      case 'd':
        return digit_characters;
      case 'D':
        return without(all_characters(), digit_characters);
      case 'w':
        return word_characters;
      case 'W':
        return without(all_characters(), word_characters);
      case 's':
        return space_characters;
      case 'S':
        return without(all_characters(), space_characters);
      case 'n':
        return {{'\n', '\n'}};
      case 'r':
        return {{'\r', '\r'}};
      case 't':
        return {{'\t', '\t'}};
      case 'f':
        return {{'\f', '\f'}};
      case 'v':
        return {{'\v', '\v'}};
      case 'x':
        return hexadecimal(begin, 2);
      case 'u':
        return hexadecimal(begin, 4);
      default:
        break;
    }
    if (in_set && c == 'b') return {{'\b', '\b'}};
    if (c >= '1' && c <= '9') refuse(begin, "back-references are not supported");
    if (c == 'b' || c == 'B') refuse(begin, "word boundaries are not supported");
    const bool plain = c >= 0x80 || !holds(word_characters, c) || c == '_';
    if (!plain) refuse(begin, fmt::format("\\{} is not supported", static_cast<char>(c)));
    return {{c, c}};
  }

  CodePointSet hexadecimal(size_t begin, int count) {
    char32_t value = 0;
    for (int i = 0; i < count; ++i) {
      const char32_t c = ended() ? 0 : characters_[at_++];
      const char32_t low = c | 0x20;
      const bool letter = low >= 'a' && low <= 'f';
      if (!letter && (c < '0' || c > '9')) {
        refuse(begin, fmt::format("{} hexadecimal digits must follow", count));
      }
      value = value * 16 + (letter ? low - 'a' + 10 : c - '0');
    }
    if (!holds(all_characters(), value)) refuse(begin, "this is no character");
    return {{value, value}};
  }

  // The rest of [...].
  CodePointSet set() {
    const size_t begin = at_ - 1;
    const bool negated = take('^');
    CodePointSet all;
    for (bool first = true; first || !next_is(']'); first = false) {
      if (ended()) refuse(begin, "the set has no end");
      if (first && next_is(']')) refuse(begin, "the set is empty; a ] in a set needs a backslash");
      if (next_is('[') && at_ + 1 < characters_.size() && characters_[at_ + 1] == ':') {
        refuse("sets with names are not supported; a [ in a set needs a backslash");
      }
      const size_t place = at_;
      CodePointSet one = set_member();
      const bool range =
          next_is('-') && at_ + 1 < characters_.size() && characters_[at_ + 1] != ']';
      if (range) {
        ++at_;
        const CodePointSet last = set_member();
        if (!is_single(one) || !is_single(last)) refuse(place, "a range needs two characters");
        if (last[0].first < one[0].first) refuse(place, "the range ends before it begins");
        one[0].last = last[0].first;
      }
      all.insert(all.end(), one.begin(), one.end());
    }
    ++at_;
    all = common_to(united(std::move(all), {}), all_characters());
    return negated ? without(all_characters(), all) : all;
  }

  CodePointSet set_member() {
    if (ended()) refuse("the set has no end");
    if (take('\\')) return escape(true);
    const char32_t c = characters_[at_++];
    return {{c, c}};
  }

  static bool is_single(const CodePointSet& set) {
    return set.size() == 1 && set[0].first == set[0].last;
  }

  std::u32string characters_;
  size_t at_ = 0;
};

}  // namespace

Pattern regular_expression(std::string_view expression) {
  std::vector<Pattern> parts;
  for (Alternative& each : ExpressionParser(expression).parse()) {
    parts.push_back(std::move(each.pattern));
  }
  return Pattern::choice(std::move(parts));
}

Pattern regular_search(std::string_view expression) {
  const Pattern anything = Pattern::repeat(Pattern::one_of(all_characters()), 0);
  std::vector<Pattern> parts;
  for (Alternative& each : ExpressionParser(expression).parse()) {
    std::vector<Pattern> sequence;
    if (!each.begins) sequence.push_back(anything);
    sequence.push_back(std::move(each.pattern));
    if (!each.ends) sequence.push_back(anything);
    parts.push_back(Pattern::sequence(std::move(sequence)));
  }
  return Pattern::choice(std::move(parts));
}

}  // namespace calque
