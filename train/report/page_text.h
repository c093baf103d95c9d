#pragma once
// Inserts text into pages safely: escapes for HTML and for JSON in a script element, and templates
// that are filled in one pass, so that no inserted text is read as a template.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace calque {

// For text and quoted attributes in HTML and SVG: & < > " ' become entities; bytes that are not
// UTF-8 and control characters that XML forbids become U+FFFD.
std::string html_escaped(std::string_view text);

// A JSON string literal in ASCII without <, > and &, so that no text ends its script element.
std::string json_quoted(std::string_view text);

// A JSON number with at most `digits` significant digits; null if it is not finite.
void append_json_number(std::string& out, double value, int digits);

// Appends [a,b,...], where write(item) appends each item.
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

// Replaces each {{name}} of the template with its value. A name without a value is a Misuse.
std::string filled(std::string_view page,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> values);

}  // namespace calque
