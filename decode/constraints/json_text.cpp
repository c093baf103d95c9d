#include "decode/constraints/json_text.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "data/text/utf8.h"
#include "decode/constraints/character_set.h"
#include "decode/constraints/json_numbers.h"
#include "decode/constraints/regular_expression.h"

namespace calque {
namespace {

// The characters that stand for themselves in a string.
const CodePointSet& unescaped() {
  static const CodePointSet set = without(all_characters(), {{1, 0x1F}, {'"', '"'}, {'\\', '\\'}});
  return set;
}

// One character of a string, in any of the ways to write it.
const Pattern& string_character() {
  static const Pattern any = Pattern::choice(
      {Pattern::one_of(unescaped()),
       regular_expression(R"(\\["\\/bfnrt])"
                          R"(|\\u([0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}))"
                          R"(|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})")});
  return any;
}

Pattern quoted(Pattern text) {
  return Pattern::sequence({Pattern::text("\""), std::move(text), Pattern::text("\"")});
}

// The shortest way to write a character that does not stand for itself.
std::string escaped(char32_t point) {
  constexpr std::string_view letters = "\"\"\\\\\bb\ff\nn\rr\tt";  // a character, then its letter
  for (size_t i = 0; i < letters.size(); i += 2) {
    if (static_cast<char32_t>(letters[i]) == point) return {'\\', letters[i + 1]};
  }
  return fmt::format("\\u{:04x}", static_cast<uint32_t>(point));
}

// The characters of a value become the texts that stand for them.
void escape_characters(Pattern& pattern) {
  for (Pattern& part : pattern.parts) escape_characters(part);
  if (pattern.kind != Pattern::Kind::characters) return;
  const CodePointSet others = without(pattern.characters, unescaped());
  if (others.empty()) return;
  std::vector<Pattern> ways = {Pattern::one_of(common_to(pattern.characters, unescaped()))};
  for (const CodePoints& range : others) {
    for (char32_t point = range.first; point <= range.last; ++point) {
      ways.push_back(Pattern::text(escaped(point)));
    }
  }
  pattern = Pattern::choice(std::move(ways));
}

// The texts of printable characters that are none of the names from `begin` to `end`, which are
// sorted and whose first `at` characters have been read.
Pattern rest_except(const std::vector<std::u32string>& names, size_t begin, size_t end, size_t at) {
  const Pattern anything = Pattern::repeat(Pattern::one_of(unescaped()), 0);
  if (begin == end) return anything;
  std::vector<Pattern> ways;
  CodePointSet next;
  if (names[begin].size() == at) {
    ++begin;
  } else {
    ways.push_back(Pattern::text(""));
  }
  for (size_t first = begin, last = begin; first < end; first = last) {
    const char32_t point = names[first][at];
    while (last < end && names[last][at] == point) ++last;
    next.push_back({point, point});
    ways.push_back(Pattern::sequence(
        {Pattern::one_of({{point, point}}), rest_except(names, first, last, at + 1)}));
  }
  ways.push_back(
      Pattern::sequence({Pattern::one_of(without(unescaped(), united(next, {}))), anything}));
  return Pattern::choice(std::move(ways));
}

Pattern space() {
  return Pattern::choice(
      {Pattern::text(""), Pattern::text(" "),
       Pattern::sequence({Pattern::text("\n"), Pattern::repeat(Pattern::text(" "), 0, 20)})});
}

Pattern enclosed(std::string_view open, std::vector<Pattern> elements, std::string_view close) {
  return Pattern::sequence(
      {Pattern::text(open), space(),
       Pattern::list(Pattern::sequence({Pattern::text(","), space()}), std::move(elements)),
       space(), Pattern::text(close)});
}

}  // namespace

Pattern json_string(int64_t least, int64_t most) {
  return quoted(Pattern::repeat(string_character(), least, most));
}

Pattern json_string_of(Pattern value) {
  escape_characters(value);
  return quoted(std::move(value));
}

Pattern json_string_except(const std::vector<std::string>& names) {
  std::vector<std::u32string> sorted;
  for (const std::string& name : names) {
    std::u32string points;
    for (size_t at = 0; at < name.size();) points.push_back(next_code_point(name, at));
    // A name with other characters cannot be written by printable ones anyway.
    const bool printable =
        std::ranges::all_of(points, [](char32_t point) { return holds(unescaped(), point); });
    if (printable) sorted.push_back(std::move(points));
  }
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return quoted(rest_except(sorted, 0, sorted.size(), 0));
}

std::optional<Pattern> json_string_format(std::string_view format) {
  static const std::string date =
      R"(([1-9]\d{3}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30))"
      R"(|02-(0[1-9]|1\d|2[0-8])))"
      R"(|([1-9]\d(0[48]|[2468][048]|[13579][26])|([2468][048]|[13579][26])00)-02-29))";
  static const std::string time =
      R"(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))";
  if (format == "date") return json_string_of(regular_expression(date));
  if (format == "time") return json_string_of(regular_expression(time));
  if (format == "date-time") return json_string_of(regular_expression(date + "T" + time));
  if (format == "uuid") {
    return json_string_of(regular_expression("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
  }
  return std::nullopt;
}

Pattern json_member(Pattern key, Pattern value) {
  return Pattern::sequence({std::move(key), Pattern::text(":"),
                            Pattern::optional(Pattern::text(" ")), std::move(value)});
}

Pattern json_object(std::vector<Pattern> members) { return enclosed("{", std::move(members), "}"); }

Pattern json_array(std::vector<Pattern> elements) {
  return enclosed("[", std::move(elements), "]");
}

Pattern any_json_object(int32_t rule) {
  return json_object({Pattern::repeat(json_member(json_string(), Pattern::refer(rule)), 0)});
}

Pattern any_json_value(int32_t rule) {
  return Pattern::choice({Pattern::text("null"), Pattern::text("true"), Pattern::text("false"),
                          json_number(), json_string(), any_json_object(rule),
                          json_array({Pattern::repeat(Pattern::refer(rule), 0)})});
}

Grammar json_object_grammar() { return {{any_json_object(1), any_json_value(1)}}; }

}  // namespace calque
