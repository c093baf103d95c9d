#pragma once
// Inserts text into pages safely: escapes for HTML and for JSON in a script element, and templates
// that are filled in one pass, so that no inserted text is read as a template.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace calque {

// For text and quoted attributes in HTML and SVG: & < > " ' become entities; bytes that are not
// UTF-8 and control characters that XML forbids become U+FFFD.
std::string html_escaped(std::string_view text);

// A JSON string literal in ASCII without <, > and &, so that no text ends its script element.
std::string json_quoted(std::string_view text);

// A JSON number with at most `digits` significant digits; null if it is not finite.
std::string json_number(double value, int digits);

// [a,b,...], where json_of(item) returns each item as JSON.
template <class Items, class JsonOf>
std::string json_list(const Items& items, JsonOf&& json_of) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += json_of(item);
  }
  return out + ']';
}
std::string json_texts(const std::vector<std::string>& texts);
template <class Numbers>
std::string json_numbers(const Numbers& numbers, int digits) {
  return json_list(numbers, [&](double number) { return json_number(number, digits); });
}

// A picture with dark text on white; `body` is SVG.
std::string svg_document(double width, double height, double font_size, std::string_view body);

// Replaces each {{name}} of the template with its value. A name without a value is a Misuse.
std::string filled(std::string_view page,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> values);

}  // namespace calque
