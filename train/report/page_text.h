#pragma once
// How text gets into a page safely: escapes for HTML and for JSON inside a script element, and a
// template whose gaps are filled in one pass, so that nothing filled in is ever read as template.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace calque {

// & < > " ' become entities; bytes that are not UTF-8, and control characters that XML forbids,
// become U+FFFD. Good for text and for quoted attributes, in HTML and in SVG.
std::string html_escaped(std::string_view text);

// A JSON string literal in plain ASCII without <, > or &: no text can end the script element it
// stands in.
std::string json_quoted(std::string_view text);

// A JSON number of at most `digits` significant digits; null when it is not finite.
void append_json_number(std::string& out, double value, int digits);

// [a,b,...] of what write(item) appends for each item.
template <class Items, class Write>
void append_list(std::string& out, const Items& items, Write&& write) {
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    write(item);
  }
  out += ']';
}

// Replaces each {{name}} of the template by its value. A name without a value is a Misuse.
std::string filled(std::string_view page,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> values);

}  // namespace calque
