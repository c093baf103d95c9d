#include "train/metrics/tokenization/western.h"

#include "train/metrics/tokenization/pair_substitution.h"

namespace calque {
namespace {

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_mark(char byte) { return byte == '.' || byte == ','; }

bool is_separable(char byte) {
  return (byte >= '{' && byte <= '~') || (byte >= '[' && byte <= '`') ||
         (byte >= ' ' && byte <= '&') || (byte >= '(' && byte <= '+') ||
         (byte >= ':' && byte <= '@') || byte == '/';
}

}  // namespace

std::string separate_symbols(std::string_view text) {
  std::string out;
  out.reserve(2 * text.size());
  for (const char byte : text) {
    if (is_separable(byte)) {
      out.append({' ', byte, ' '});
    } else {
      out += byte;
    }
  }
  return out;
}

std::string separate_number_marks(const std::string& text) {
  const auto mark_behind = [](char a, char b) { return !is_digit(a) && is_mark(b); };
  const auto mark_before = [](char a, char b) { return is_mark(a) && !is_digit(b); };
  const auto dash_behind = [](char a, char b) { return is_digit(a) && b == '-'; };
  const auto split_second = [](std::string& out, char a, char b) { out.append({a, ' ', b, ' '}); };
  const auto split_first = [](std::string& out, char a, char b) { out.append({' ', a, ' ', b}); };
  const std::string first = replace_pairs(text, mark_behind, split_second);
  const std::string second = replace_pairs(first, mark_before, split_first);
  return replace_pairs(second, dash_behind, split_second);
}

std::string replace_all(std::string_view text, std::string_view pattern, std::string_view by) {
  std::string out;
  while (true) {
    const size_t at = text.find(pattern);
    out.append(text.substr(0, at));
    if (at == text.npos) return out;
    out.append(by);
    text.remove_prefix(at + pattern.size());
  }
}

std::string resolve_entities(std::string text) {
  if (text.find('&') == text.npos) return text;
  text = replace_all(text, "&quot;", "\"");
  text = replace_all(text, "&amp;", "&");
  text = replace_all(text, "&lt;", "<");
  return replace_all(text, "&gt;", ">");
}

}  // namespace calque
