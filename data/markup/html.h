#pragma once
// Finds the texts of an HTML or XHTML file: what is between the tags of blocks, and the attributes
// that a reader sees, such as alt and title. Scripts, styles, comments, code, preformatted text and
// elements with translate="no" are kept. Never refuses a file: what is not closed extends to the
// end.

#include <string_view>

#include "data/markup/markup.h"

namespace calque {

// Requires well-formed UTF-8. In XML, <NAME/> has no content.
Markup read_html(std::string_view html, bool xml);

}  // namespace calque
