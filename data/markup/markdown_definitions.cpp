#include "data/markup/markdown_definitions.h"

#include "data/text/lowercase.h"
#include "data/text/regex.h"

namespace calque {

std::string link_label(std::string_view text) {
  std::string label;
  bool space = false;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      space = !label.empty();
    } else {
      if (space) label += ' ';
      label += c;
      space = false;
    }
  }
  return lowercase(label);
}

std::optional<LinkDefinition> link_definition(std::string_view paragraph, size_t at) {
  static const Regex label(R"(\G\[(?!\^)\s*+(?!\])(?:[^\[\]\\]|\\.){1,999}+\]:)");
  static const Regex address(R"(\G[ \t]*+\n?[ \t]*+(?:<(?:[^<>\n\\]++|\\.)*+>|[^\s<]\S*+))"
                             R"((?=[ \t\n]))");
  static const Regex title(
      R"(\G(?:[ \t]++\n?|\n)[ \t]*+(?:"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+'|\((?:[^()\\]++|\\.)*+\))[ \t]*+\n)");
  static const Regex line_end(R"(\G[ \t]*+\n)");
  const auto name = label.find(paragraph, at);
  const auto target = name ? address.find(paragraph, name->end) : name;
  if (!target) return std::nullopt;
  const auto titled = title.find(paragraph, target->end);
  const auto end = titled ? titled : line_end.find(paragraph, target->end);
  if (!end) return std::nullopt;
  return LinkDefinition{link_label(paragraph.substr(at + 1, name->end - at - 3)), end->end};
}

}  // namespace calque
