#pragma once
// The blocks of a Markdown file (CommonMark with GitHub's tables and footnotes, definition lists
// and ::: directives) that have texts. Code, formulas, rules and definitions of links have none.

#include <string_view>
#include <vector>

#include "data/markup/markdown_definitions.h"
#include "data/text/text_range.h"

namespace calque {

struct MarkdownLine {
  size_t begin;     // of the line
  TextRange words;  // without the marks before them, and white space
};

struct MarkdownBlock {
  enum class Kind { paragraph, heading, table, html } kind;
  std::vector<MarkdownLine> lines;  // of a table without the line of dashes
};

struct MarkdownBlocks {
  std::vector<MarkdownBlock> blocks;
  LinkLabels labels;
};

// The blocks from a line's begin on.
MarkdownBlocks markdown_blocks(std::string_view file, size_t at);

// The cells of a line of a table, which | separates.
std::vector<TextRange> markdown_cells(std::string_view file, TextRange line);

}  // namespace calque
