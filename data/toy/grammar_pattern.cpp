#include "data/toy/grammar_pattern.h"

#include <algorithm>

namespace calque {
namespace {

bool is_variable(std::string_view text) {
  return text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z';
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

Pattern read_pattern(const std::string& text, const GrammarLine& line) {
  Pattern pattern;
  const size_t open = text.find('<');
  pattern.name = text.substr(0, open);
  const bool named = !pattern.name.empty() &&
                     std::all_of(pattern.name.begin(), pattern.name.end(), is_name_character);
  if (!named || (open != std::string::npos && text.back() != '>')) {
    line.fail("'{}' is no category: write Name or Name<Argument>", text);
  }
  if (open != std::string::npos) {
    pattern.arguments =
        split_arguments(std::string_view(text).substr(open + 1, text.size() - open - 2));
  }
  return pattern;
}

bool matches(const Pattern& head, const Pattern& wanted, Bindings& bindings) {
  if (head.name != wanted.name || head.arguments.size() != wanted.arguments.size()) return false;
  for (size_t i = 0; i < head.arguments.size(); ++i) {
    if (is_variable(head.arguments[i])) {
      const auto [found, added] = bindings.emplace(head.arguments[i], wanted.arguments[i]);
      if (!added && found->second != wanted.arguments[i]) return false;
    } else if (head.arguments[i] != wanted.arguments[i]) {
      return false;
    }
  }
  return true;
}

std::string substitute(std::string_view text, const Bindings& bindings) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const auto found = bindings.find(text.substr(at, end - at));
    result += found != bindings.end() ? std::string_view(found->second) : text.substr(at, end - at);
    if (end < text.size()) result += text[end++];
    at = end;
  }
  return result;
}

}  // namespace calque
