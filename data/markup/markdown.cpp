#include "data/markup/markdown.h"

#include <algorithm>

#include "data/markup/front_matter.h"
#include "data/markup/html.h"
#include "data/markup/markdown_blocks.h"
#include "data/markup/markdown_inline.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

class MarkdownReader {
 public:
  explicit MarkdownReader(std::string_view file) : file_(file) {}

  Markup read() {
    const MarkdownBlocks all = markdown_blocks(file_, read_front_matter(file_, found_));
    labels_ = all.labels;
    for (const MarkdownBlock& block : all.blocks) {
      if (block.lines.front().begin >= end_) read_block(block);
    }
    return std::move(found_);
  }

 private:
  void read_block(const MarkdownBlock& block) {
    switch (block.kind) {
      case MarkdownBlock::Kind::paragraph:
        return read_paragraph(block);
      case MarkdownBlock::Kind::heading:
        return add(block.lines.front().words, TextForm::markdown);
      case MarkdownBlock::Kind::table:
        for (const MarkdownLine& row : block.lines) {
          for (const TextRange& cell : markdown_cells(file_, row.words)) {
            add(cell, TextForm::table_cell);
          }
        }
        return;
      case MarkdownBlock::Kind::html: {
        std::vector<TextRange> lines;
        for (const MarkdownLine& line : block.lines) lines.push_back(line.words);
        end_ = read_html_lines(file_, lines, found_, unclosed_);
      }
    }
  }

  void add(TextRange range, TextForm form) {
    if (range.begin >= range.end) return;
    PlacedText placed = read_inline(file_, {&range, 1}, labels_, found_);
    if (!has_words(placed.text.text)) return;
    found_.texts.push_back({std::move(placed.text), placed.range, form});
  }

  void read_paragraph(const MarkdownBlock& block) {
    std::vector<TextRange> lines;
    size_t width = 0;
    for (const MarkdownLine& line : block.lines) {
      lines.push_back(line.words);
      const std::string_view whole = TextRange{line.begin, line.words.end}.of(file_);
      width = std::max(width, static_cast<size_t>(count_code_points(whole)));
    }
    PlacedText placed = read_inline(file_, lines, labels_, found_);
    if (!has_words(placed.text.text)) return;
    MarkupText& own = found_.texts.emplace_back(
        MarkupText{std::move(placed.text), placed.range, TextForm::markdown});
    if (lines.size() > 1) {
      own.width = width;
      own.line_begin = TextRange{block.lines[1].begin, lines[1].begin}.of(file_);
    }
  }

  std::string_view file_;
  LinkLabels labels_;
  Markup found_;
  size_t end_ = 0;         // of an element that is kept over several blocks
  bool unclosed_ = false;  // whether there is one without an end
};

}  // namespace

Markup read_markdown(std::string_view file) { return MarkdownReader(file).read(); }

}  // namespace calque
