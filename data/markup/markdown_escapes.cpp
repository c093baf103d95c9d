#include "data/markup/markdown_escapes.h"

#include <algorithm>

#include "data/markup/html_references.h"
#include "data/text/regex.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

bool is_ascii_word(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || (c != '_' && c > ' ' && !is_ascii_punctuation(c));
}

// Whether no other character follows, as of the marks that may end a heading.
bool is_run_to_end(std::string_view text, size_t at) {
  return text.find_first_not_of(text[at], at) == text.npos;
}

}  // namespace

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

bool is_ascii_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool begins_block(std::string_view text) {
  static const Regex block(
      R"(^(?:(?:[-+*>]|#{1,6}|[0-9]{1,9}[.)])(?:\s|$)|---|===|:::|>|```|~~~))");
  size_t read = std::min<size_t>(text.size(), 16);
  while (is_inside_character(text, read)) --read;
  return block.find(text.substr(0, read)).has_value();
}

std::string markdown_escaped(std::string_view text, bool at_begin, bool table_cell) {
  std::string escaped;
  const bool block = at_begin && begins_block(text);
  const size_t marker = block ? text.find_first_of("-+*>#.)=:`~") : text.npos;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at], before = at > 0 ? text[at - 1] : '\0';
    const char after = at + 1 < text.size() ? text[at + 1] : '\0';
    const bool between_words = is_ascii_word(before) && is_ascii_word(after);
    const bool between_spaces = is_ascii_space(before) && is_ascii_space(after);
    const bool tag = is_ascii_word(after) || after == '/' || after == '!' || after == '?';
    const bool escape = at == marker || c == '`' || c == '[' || c == ']' ||
                        (c == '*' && !between_spaces) ||
                        (c == '_' && !between_words && !between_spaces) ||
                        (c == '~' && (before == '~' || after == '~')) || (c == '<' && tag) ||
                        (c == '\\' && (after == '\0' || is_ascii_punctuation(after))) ||
                        (c == '#' && before == ' ' && is_run_to_end(text, at)) ||
                        (c == '&' && begins_reference(text.substr(at))) || (c == '|' && table_cell);
    if (escape) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace calque
