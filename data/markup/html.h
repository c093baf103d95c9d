#pragma once
// Finds the texts of an HTML or XHTML file: what is between the tags of blocks, and the attributes
// that a reader sees, such as alt and title. Scripts, styles, comments, code, preformatted text and
// elements with translate="no" are kept. Never refuses a file: what is not closed extends to the
// end.

#include <span>
#include <string_view>

#include "data/markup/markup.h"

namespace calque {

// Requires well-formed UTF-8. In XML, <NAME/> has no content.
Markup read_html(std::string_view html, bool xml);

// Adds the texts of HTML within another file, whose lines are ascending ranges of it without their
// ends and what precedes them. Returns where it ends: behind the last line if an element that is
// kept as a whole is closed there. One that is never closed sets `unclosed`, after which no other
// is looked for behind the lines.
size_t read_html_lines(std::string_view file, std::span<const TextRange> lines, Markup& found,
                       bool& unclosed);

}  // namespace calque
