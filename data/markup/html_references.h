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

inline constexpr std::string_view no_break_space = "&nbsp;";  // XML may lack it

struct ReferenceOptions {
  bool quotes = false;          // as in the value of an attribute
  bool no_break_space = false;  // U+00A0 as &nbsp;
};

// The text with references for &, < and >, and for what the options name.
std::string with_references(std::string_view text, const ReferenceOptions& options);

}  // namespace calque
