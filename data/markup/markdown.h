#pragma once
// Finds the texts of a Markdown file: headings, paragraphs, items of lists, footnotes, cells of
// tables, alt texts, the texts of HTML, and the title and description of the front matter. Code,
// formulas and definitions of links are kept.

#include <string_view>

#include "data/markup/markup.h"

namespace calque {

// Requires well-formed UTF-8.
Markup read_markdown(std::string_view file);

}  // namespace calque
