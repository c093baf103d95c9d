#pragma once
// Character references of HTML, such as &amp; and &#252;.

#include <string>
#include <string_view>
#include <utility>

namespace calque {

// Returns the character of a numeric or common named reference at the start of `text`, and the
// length of the reference: 0 if there is none.
std::pair<std::string, size_t> decoded_reference(std::string_view text);

// Whether the text begins like a reference, of any name.
bool begins_reference(std::string_view text);

// The text with &, <, > and U+00A0 as references; in the value of an attribute also the quotes.
std::string with_references(std::string_view text, bool attribute = false);

}  // namespace calque
