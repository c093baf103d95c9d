#include "decode/constraints/pattern.h"

#include <iterator>
#include <utility>

#include "data/text/utf8.h"

namespace calque {

Pattern Pattern::one_of(CodePointSet characters) {
  return {.kind = Kind::characters, .characters = std::move(characters)};
}

Pattern Pattern::text(std::string_view utf8) {
  std::vector<Pattern> parts;
  for (size_t at = 0; at < utf8.size();) {
    const char32_t point = next_code_point(utf8, at);
    parts.push_back(one_of({{point, point}}));
  }
  return sequence(std::move(parts));
}

Pattern Pattern::sequence(std::vector<Pattern> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return {.kind = Kind::sequence, .parts = std::move(parts)};
}

Pattern Pattern::choice(std::vector<Pattern> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return {.kind = Kind::choice, .parts = std::move(parts)};
}

Pattern Pattern::repeat(Pattern part, int64_t least, int64_t most) {
  Pattern whole{.kind = Kind::repeat, .least = least, .most = most};
  whole.parts.push_back(std::move(part));
  return whole;
}

Pattern Pattern::list(Pattern separator, std::vector<Pattern> elements) {
  Pattern whole{.kind = Kind::list};
  whole.parts.push_back(std::move(separator));
  whole.parts.insert(whole.parts.end(), std::make_move_iterator(elements.begin()),
                     std::make_move_iterator(elements.end()));
  return whole;
}

Pattern Pattern::refer(int32_t rule) { return {.kind = Kind::rule, .rule = rule}; }

}  // namespace calque
