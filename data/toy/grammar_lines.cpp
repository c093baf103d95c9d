#include "data/toy/grammar_lines.h"

namespace calque {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The end of the field that begins at `begin`.
size_t end_of_field(std::string_view text, size_t begin, const GrammarLine& line) {
  char closing = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (closing != 0) {
      if (c == closing) closing = 0;
    } else if (c == '"') {
      closing = '"';
    } else if (c == '[') {
      closing = ']';
    } else if (is_space(c)) {
      return i;
    }
  }
  if (closing != 0) line.fail("a {} is missing", closing);
  return text.size();
}

GrammarLine cut(std::string_view text, std::string_view file, int number) {
  GrammarLine line{file, number, !text.empty() && is_space(text.front()), {}};
  for (size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    if (text[at] == '#') break;
    const size_t end = end_of_field(text, at, line);
    line.fields.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return line;
}

}  // namespace

std::vector<GrammarLine> grammar_lines(std::string_view text, std::string_view file) {
  std::vector<GrammarLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    GrammarLine line = cut(text.substr(0, end), file, number);
    if (!line.fields.empty()) lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::vector<std::string>> split_fields(const std::vector<std::string>& fields,
                                                   std::string_view separator) {
  std::vector<std::vector<std::string>> groups(1);
  for (const std::string& field : fields) {
    if (field == separator) {
      groups.emplace_back();
    } else {
      groups.back().push_back(field);
    }
  }
  return groups;
}

std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '<') - (c == '>');
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<std::string> split_spaces(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace calque
