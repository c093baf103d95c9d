#pragma once
// The inline markup of a Markdown text: emphasis and links become tags; code, formulas, addresses
// and shortcodes are kept parts; escaped characters become what they stand for.

#include <span>
#include <string_view>

#include "data/markup/markdown_definitions.h"
#include "data/markup/markup.h"
#include "data/markup/text_builder.h"

namespace calque {

// Reads the lines of a paragraph, which are ranges of `file` without what begins each line. The alt
// texts of images are added to `found`.
PlacedText read_inline(std::string_view file, std::span<const TextRange> lines,
                       const LinkLabels& labels, Markup& found);

}  // namespace calque
