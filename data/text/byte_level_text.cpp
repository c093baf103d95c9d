#include "data/text/byte_level_text.h"

#include "data/text/code_points.h"
#include "data/text/utf8.h"

namespace calque {

extern const std::string_view byte_level_characters;

namespace {

enum class Class { letter, number, space, other };

Class class_of(char32_t point) {
  struct Sets {
    CodePointSet letters, numbers, spaces;
    explicit Sets(std::string_view file) {
      for (CodePointSet* set : {&letters, &numbers, &spaces}) *set = parse_ranges(cut(file, '\n'));
    }
  };
  static const Sets sets(byte_level_characters);
  if (holds(sets.letters, point)) return Class::letter;
  if (holds(sets.numbers, point)) return Class::number;
  return holds(sets.spaces, point) ? Class::space : Class::other;
}

// The length of the English ending, such as 's, that begins the text, or 0.
size_t ending(std::string_view text) {
  for (const std::string_view each : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(each)) return each.size();
  }
  return 0;
}

struct Run {
  size_t end = 0, last = 0;  // the offsets of its end and of its last character
};

// The run of characters of class `of` that begins at `at`.
Run run_of(std::string_view text, size_t at, Class of) {
  Run run{at, at};
  while (run.end < text.size()) {
    size_t next = run.end;
    if (class_of(next_code_point(text, next)) != of) break;
    run = {next, run.end};
  }
  return run;
}

// Where the word at the front of the text ends.
size_t end_of_word(std::string_view text) {
  if (const size_t length = ending(text)) return length;
  const size_t first = text.front() == ' ' && text.size() > 1 ? 1 : 0;
  size_t after_first = first;
  const Class own = class_of(next_code_point(text, after_first));
  if (own != Class::space) return run_of(text, first, own).end;
  // A run of white space before a word is cut before the run's last character: if that is a space,
  // it begins the word.
  const Run space = run_of(text, 0, Class::space);
  return space.end == text.size() || space.last == 0 ? space.end : space.last;
}

}  // namespace

void for_each_byte_level_word(std::string_view text,
                              const std::function<void(std::string_view)>& visit) {
  while (!text.empty()) {
    const size_t end = end_of_word(text);
    visit(text.substr(0, end));
    text.remove_prefix(end);
  }
}

}  // namespace calque
