#pragma once
// Finds the texts of a Markdown file (CommonMark with GitHub's tables): headings, paragraphs, items
// of lists, cells of tables. Code, HTML blocks, definitions of links and the front matter are kept.

#include <string_view>

#include "data/markup/markup.h"

namespace calque {

// Requires well-formed UTF-8.
Markup read_markdown(std::string_view file);

}  // namespace calque
