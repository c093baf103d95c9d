#include "data/markup/markdown_blocks.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "data/markup/markdown_html_blocks.h"
#include "data/markup/markdown_lines.h"
#include "data/text/regex.h"

namespace calque {
namespace {

bool matches(const Regex& pattern, std::string_view text) { return pattern.find(text).has_value(); }

bool is_rule(std::string_view text) {
  static const Regex rule(R"(^(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$)");
  return matches(rule, text);
}

bool is_table_border(std::string_view text) {
  static const Regex dashes(R"(^\|?(?:[ \t]*:?-+:?[ \t]*\|)*+(?:[ \t]*:?-+:?[ \t]*)?$)");
  return text.find('|') != text.npos && text.find('-') != text.npos && matches(dashes, text);
}

// A block that other blocks are in.
struct Container {
  enum class Kind { quotation, item } kind;
  size_t indent = 0;    // of the lines of an item behind the first
  bool is_new = false;  // an item whose lines so far are blank
};

// Reads line by line, as the appendix of CommonMark describes: first the marks of the containers
// that are open, then the begins of others, then what the innermost one has.
class BlockReader {
 public:
  explicit BlockReader(std::string_view file) : file_(file) {}

  MarkdownBlocks read(size_t at) {
    for (const TextRange& line : markdown_lines(file_, at)) read_line(LineCursor(file_, line));
    end_leaf();
    std::ranges::sort(found_.labels);
    return std::move(found_);
  }

 private:
  enum class Leaf { none, paragraph, table, fence, formula, html };

  void read_line(LineCursor line) {
    depth_ = enter_open_containers(line);
    if (in_open_leaf() && (leaf_ == Leaf::fence || leaf_ == Leaf::formula)) return read_raw(line);
    if (in_open_leaf() && leaf_ == Leaf::html) return read_html(line);
    if (leaf_ != Leaf::paragraph && !in_open_leaf()) end_leaf();
    if (line.is_blank()) return close_containers();
    while (!line.is_blank()) {
      const bool code = line.indent() >= 4;
      if (code && leaf_ == Leaf::paragraph) break;
      if (code) return close_containers();
      if (begin_container(line)) continue;
      if (begin_leaf(line)) return;
      break;
    }
    if (line.is_blank()) return;
    read_words(line.line(), line.words());
  }

  // Whether the line has the marks of all containers of the leaf.
  bool in_open_leaf() const { return depth_ == containers_.size(); }

  size_t enter_open_containers(LineCursor& line) {
    size_t depth = 0;
    for (; depth < containers_.size(); ++depth) {
      Container& each = containers_[depth];
      if (each.kind == Container::Kind::quotation) {
        if (line.indent() >= 4 || !line.text().starts_with('>')) break;
        line.skip_words(1);
        line.skip_columns(1);
      } else if (line.is_blank()) {
        if (each.is_new) break;
      } else {
        if (line.indent() < each.indent) break;
        line.skip_columns(each.indent);
        each.is_new = false;
      }
    }
    return depth;
  }

  // Ends the leaf and the containers that the line is not in.
  void close_containers() {
    end_leaf();
    containers_.resize(std::min(depth_, containers_.size()));
  }

  void open(Container container) {
    close_containers();
    containers_.push_back(container);
    ++depth_;
  }

  // Returns whether the line goes on behind the marks of another container.
  bool begin_container(LineCursor& line) {
    static const Regex footnote(R"(^\[\^[^\]\s]+\]:)");
    constexpr size_t most = 100;
    const std::string_view text = line.text();
    if (containers_.size() == most) return false;
    if (text.starts_with('>')) {
      open({Container::Kind::quotation});
      line.skip_words(1);
      line.skip_columns(1);
      return true;
    }
    if (const auto mark = footnote.find(text)) {
      open({Container::Kind::item, 4});
      line.skip_words(mark->end);
      return true;
    }
    return begin_item(line);
  }

  bool begin_item(LineCursor& line) {
    static const Regex item(R"(^(?:[-+*:]|[0-9]{1,9}[.)])(?=[ \t]|$))");
    static const Regex box(R"(^\[[ xX]\](?=[ \t]))");
    const std::string_view text = line.text();
    const auto mark = item.find(text);
    if (!mark || is_rule(text) || is_underline(text)) return false;
    const bool blank = mark->end == text.size();
    const bool first = mark->end == 1 || text.starts_with("1.") || text.starts_with("1)");
    if (leaf_ == Leaf::paragraph && in_open_leaf() && (blank || !first)) return false;
    const size_t indent = line.indent() + mark->end;
    line.skip_words(mark->end);
    const size_t spaces = line.indent();
    const size_t skipped = blank || spaces > 4 ? 1 : spaces;
    line.skip_columns(skipped);
    open({Container::Kind::item, indent + skipped, blank});
    if (const auto task = box.find(line.text())) line.skip_words(task->end);
    return true;
  }

  bool is_underline(std::string_view text) const {
    static const Regex underline(R"(^(?:=+|-+)$)");
    return leaf_ == Leaf::paragraph && in_open_leaf() && matches(underline, text);
  }

  // Returns whether the line is the first of a leaf other than a paragraph, or has no text.
  bool begin_leaf(LineCursor& line) {
    static const Regex heading(R"(^#{1,6}(?:[ \t]+|$))"), kept(R"(^(?::::|\[![A-Z]+\]$))");
    const std::string_view text = line.text();
    if (const auto mark = heading.find(text)) {
      close_containers();
      return add_heading(line.line(), {line.words().begin + mark->end, line.words().end}), true;
    }
    if (begin_raw(text)) return true;
    const bool in_paragraph = leaf_ == Leaf::paragraph;
    if (const auto end = html_block(text, in_paragraph)) {
      close_containers();
      leaf_ = Leaf::html, html_end_ = *end;
      found_.blocks.push_back({MarkdownBlock::Kind::html, {}});
      return read_html(line), true;
    }
    if (is_underline(text) && !take_definitions().empty()) return end_leaf(), true;
    if (is_rule(text) || matches(kept, text)) return close_containers(), true;
    return in_paragraph && in_open_leaf() && begin_table(line);
  }

  // A heading may end with its marks again, and with attributes.
  void add_heading(TextRange line, TextRange words) {
    static const Regex end(R"((?:^|(?<![ \t])[ \t]++)#++$)"), id(R"([ \t]*+\{[#.][^{}]*+\}$)");
    for (const Regex* pattern : {&end, &id}) {
      if (const auto mark = pattern->find(words.of(file_))) words.end = words.begin + mark->begin;
    }
    if (words.begin < words.end) {
      found_.blocks.push_back({MarkdownBlock::Kind::heading, {{line.begin, words}}});
    }
  }

  bool begin_raw(std::string_view text) {
    static const Regex fence(R"(^(?:`{3,}(?=[^`]*$)|~{3,}|\$\$))");
    const auto mark = fence.find(text);
    if (!mark) return false;
    close_containers();
    fence_ = text.substr(0, mark->end);
    leaf_ = fence_ == "$$" ? Leaf::formula : Leaf::fence;
    if (leaf_ == Leaf::formula && text.size() > 2 && text.ends_with("$$")) leaf_ = Leaf::none;
    return true;
  }

  void read_raw(LineCursor& line) {
    const std::string_view text = line.text();
    const bool marks = text.find_first_not_of(fence_[0]) == text.npos;
    const bool closes = leaf_ == Leaf::formula
                            ? text.ends_with("$$")
                            : marks && line.indent() < 4 && text.starts_with(fence_);
    if (closes) leaf_ = Leaf::none;
  }

  void read_html(LineCursor& line) {
    if (html_end_ == HtmlBlockEnd::blank_line && line.is_blank()) return end_leaf();
    found_.blocks.back().lines.push_back({line.line().begin, line.rest()});
    if (ends_html_block(html_end_, line.text())) leaf_ = Leaf::none;
  }

  // The line of dashes below the heads, which are the last line of a paragraph.
  bool begin_table(LineCursor& line) {
    if (!is_table_border(line.text())) return false;
    const MarkdownLine head = paragraph_.back();
    if (markdown_cells(file_, head.words).size() != markdown_cells(file_, line.words()).size()) {
      return false;
    }
    paragraph_.pop_back();
    close_containers();
    leaf_ = Leaf::table;
    found_.blocks.push_back({MarkdownBlock::Kind::table, {head}});
    return true;
  }

  // A line of a paragraph or a table. A paragraph may go on without the marks of its containers.
  void read_words(TextRange line, TextRange words) {
    if (leaf_ == Leaf::table) {
      found_.blocks.back().lines.push_back({line.begin, words});
      return;
    }
    if (leaf_ == Leaf::none) close_containers();
    leaf_ = Leaf::paragraph;
    paragraph_.push_back({line.begin, words});
  }

  void end_leaf() {
    if (leaf_ == Leaf::paragraph) {
      if (!take_definitions().empty()) {
        found_.blocks.push_back({MarkdownBlock::Kind::paragraph, std::move(paragraph_)});
      }
      paragraph_.clear();
    }
    leaf_ = Leaf::none;
  }

  // Takes the definitions at the begin of the paragraph from it, and returns the other lines.
  const std::vector<MarkdownLine>& take_definitions() {
    if (paragraph_.empty() || file_[paragraph_.front().words.begin] != '[') return paragraph_;
    std::string text;
    for (const MarkdownLine& line : paragraph_) text.append(line.words.of(file_)) += '\n';
    size_t at = 0;
    while (auto definition = link_definition(text, at)) {
      found_.labels.push_back(std::move(definition->label));
      at = definition->end;
    }
    const auto taken = std::count(text.begin(), text.begin() + static_cast<int64_t>(at), '\n');
    paragraph_.erase(paragraph_.begin(), paragraph_.begin() + taken);
    return paragraph_;
  }

  std::string_view file_;
  MarkdownBlocks found_;
  std::vector<Container> containers_;  // those that are open, from the outermost
  size_t depth_ = 0;                   // the number of them that the line is in
  Leaf leaf_ = Leaf::none;
  std::vector<MarkdownLine> paragraph_;
  std::string_view fence_;
  HtmlBlockEnd html_end_ = HtmlBlockEnd::blank_line;
};

}  // namespace

MarkdownBlocks markdown_blocks(std::string_view file, size_t at) {
  return BlockReader(file).read(at);
}

std::vector<TextRange> markdown_cells(std::string_view file, TextRange line) {
  if (line.begin < line.end && file[line.begin] == '|') ++line.begin;
  std::vector<TextRange> cells;
  size_t begin = line.begin;
  for (size_t at = line.begin; at < line.end; ++at) {
    if (file[at] == '\\') {
      ++at;
    } else if (file[at] == '|') {
      cells.push_back({begin, at});
      begin = at + 1;
    }
  }
  if (begin < line.end) cells.push_back({begin, line.end});
  return cells;
}

}  // namespace calque
