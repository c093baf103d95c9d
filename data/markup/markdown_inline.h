#pragma once
// The inline markup of a Markdown text: emphasis and links become tags, code and addresses are kept
// parts, and escaped characters become what they stand for.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/markup/markup.h"
#include "data/markup/text_builder.h"

namespace calque {

// The labels of link definitions, in lower case and ascending.
using LinkLabels = std::vector<std::string>;

// Reads the lines of a paragraph, which are ranges of `file` without what begins each line. The alt
// texts of images are added to `found`.
PlacedText read_inline(std::string_view file, std::span<const TextRange> lines,
                       const LinkLabels& labels, Markup& found);

}  // namespace calque
