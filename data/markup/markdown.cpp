#include "data/markup/markdown.h"

#include <algorithm>
#include <optional>

#include "data/markup/html_tags.h"
#include "data/markup/markdown_inline.h"
#include "data/text/lowercase.h"
#include "data/text/regex.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

// A line without its end; `begin` is behind the marks of quotations and list items.
struct BlockLine {
  TextRange whole, content;
  size_t indent = 0;       // columns before the content, in its quotation
  size_t quotes = 0;       // the number of >
  bool item = false;       // whether it begins an item of a list
  size_t item_indent = 0;  // of the content of that item
};

std::vector<TextRange> line_ranges(std::string_view file) {
  std::vector<TextRange> lines;
  for (size_t at = 0; at < file.size();) {
    const size_t feed = std::min(file.find('\n', at), file.size());
    size_t end = feed;
    if (end > at && file[end - 1] == '\r') --end;
    lines.push_back({at, end});
    at = feed + 1;
  }
  return lines;
}

bool matches(const Regex& pattern, std::string_view text) { return pattern.find(text).has_value(); }

bool is_rule(std::string_view text) {
  static const Regex rule(R"(^(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$)");
  return matches(rule, text);
}

BlockLine block_line(std::string_view file, TextRange whole, bool in_paragraph) {
  static const Regex item(R"(^(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t]|$))");
  static const Regex box(R"(^\[[ xX]\](?=[ \t]))");
  constexpr int most_items = 20;
  BlockLine line{whole, whole};
  int items = 0;
  size_t at = whole.begin;
  while (at < whole.end) {
    const char c = file[at];
    const std::string_view rest = file.substr(at, whole.end - at);
    if (c == ' ') {
      ++line.indent, ++at;
    } else if (c == '\t') {
      line.indent += 4 - line.indent % 4, ++at;
    } else if (c == '>' && line.indent < 4 && !line.item) {
      ++line.quotes, ++at;
      line.indent = 0;
      if (at < whole.end && file[at] == ' ') ++at;
    } else if (const auto mark = item.find(rest); mark && items++ < most_items && !is_rule(rest)) {
      const bool interrupts = mark->end < 2 || rest.starts_with("1.") || rest.starts_with("1)");
      if (in_paragraph && !line.item && !interrupts) break;
      if (in_paragraph && mark->end == rest.size()) break;
      at += mark->end;
      line.indent += mark->end;
      line.item = true;
      line.item_indent = line.indent + 1;
    } else if (const auto task = box.find(rest); task && line.item) {
      at += task->end;
      line.indent += task->end;
    } else {
      break;
    }
  }
  line.content.begin = at;
  const size_t last = file.find_last_not_of(" \t", whole.end - (whole.end > 0 ? 1 : 0));
  line.content.end = last == file.npos ? at : std::clamp(last + 1, at, std::max(at, whole.end));
  return line;
}

// Label of "[label]: address", in lower case.
std::optional<std::string> defined_label(std::string_view text) {
  static const Regex definition(R"(^\[(?!\^)(?:[^\[\]\\]++|\\.){1,999}\]:)");
  const auto match = definition.find(text);
  if (!match) return std::nullopt;
  return ascii_lowercase(text.substr(1, match->end - 3));
}

class MarkdownReader {
 public:
  explicit MarkdownReader(std::string_view file) : file_(file), lines_(line_ranges(file)) {
    for (const TextRange& line : lines_) {
      const BlockLine own = block_line(file_, line, false);
      if (auto label = defined_label(own.content.of(file_))) labels_.push_back(*std::move(label));
    }
    std::ranges::sort(labels_);
  }

  Markup read() {
    skip_front_matter();
    while (at_ < lines_.size()) read_line();
    end_paragraph();
    return std::move(found_);
  }

 private:
  std::string_view text(const BlockLine& line) const { return line.content.of(file_); }

  void skip_front_matter() {
    if (lines_.empty()) return;
    const std::string_view first = lines_[0].of(file_);
    if (first != "---" && first != "+++") return;
    for (size_t i = 1; i < lines_.size(); ++i) {
      if (lines_[i].of(file_) == first) at_ = i + 1;
      if (at_ > 0) return;
    }
  }

  void read_line() {
    const BlockLine line = block_line(file_, lines_[at_], !paragraph_.empty());
    const std::string_view content = text(line);
    if (content.empty()) {
      end_paragraph();
      after_blank_ = true;
      if (line.item) list_indent_ = line.item_indent;
      ++at_;
      return;
    }
    if (line.item || line.quotes != quotes_) end_paragraph();
    quotes_ = line.quotes;
    if (line.item) {
      list_indent_ = line.item_indent;
    } else if (line.indent < list_indent_ && after_blank_) {
      list_indent_ = line.indent < 2 ? 0 : line.indent;
    }
    const bool code = paragraph_.empty() && !line.item && line.indent >= list_indent_ + 4;
    after_blank_ = false;
    if (code || is_rule_or_underline(content)) {
      end_paragraph();
      ++at_;
    } else if (!read_fence(content) && !read_html(content) && !read_table(line)) {
      read_words(line);
      ++at_;
    }
  }

  bool is_rule_or_underline(std::string_view content) const {
    static const Regex underline(R"(^(?:=+|-+)$)");
    return is_rule(content) || (!paragraph_.empty() && matches(underline, content));
  }

  // A block of code, of formulas or of a directive, up to its end or that of the file.
  bool read_fence(std::string_view content) {
    static const Regex fence(R"(^(?:`{3,}(?=[^`]*$)|~{3,}|\$\$))");
    const auto mark = fence.find(content);
    if (!mark) return false;
    end_paragraph();
    const std::string_view open = content.substr(0, mark->end);
    const bool formula = open == "$$";
    const bool closed = formula && content.size() > 2 && content.ends_with("$$");
    ++at_;
    while (!closed && at_ < lines_.size()) {
      const BlockLine line = block_line(file_, lines_[at_++], true);
      const std::string_view end = text(line);
      const bool only_marks = end.find_first_not_of(open[0]) == end.npos;
      if (formula ? end.ends_with("$$") : only_marks && end.starts_with(open)) break;
    }
    return true;
  }

  // A block of HTML: up to the end of its comment or script, otherwise to an empty line.
  bool read_html(std::string_view content) {
    static const Regex address(R"(^<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:|[^\s<>]+@))");
    if (!content.starts_with('<') || matches(address, content)) return false;
    const auto tag = html_tag_at(content, 0);
    if (!tag) return false;
    const bool other = tag->kind == HtmlTag::Kind::other;
    const bool alone = tag->range.end == content.size() && paragraph_.empty();
    if (!other && (is_inline(tag->name) || tag->name == "br" || tag->name == "code") && !alone) {
      return false;
    }
    if (!paragraph_.empty() && !other && is_inline(tag->name)) return false;
    end_paragraph();
    const bool raw = tag->name == "script" || tag->name == "style" || tag->name == "pre" ||
                     tag->name == "textarea";
    const std::string end = content.starts_with("<!--") ? "-->" : raw ? "</" + tag->name : "";
    for (; at_ < lines_.size(); ++at_) {
      const std::string_view whole = lines_[at_].of(file_);
      if (end.empty() && block_line(file_, lines_[at_], false).content.of(file_).empty()) break;
      if (!end.empty() && ascii_lowercase(whole).find(end) != whole.npos) return ++at_, true;
    }
    return true;
  }

  // A line of heads, a line of dashes, and the rows up to an empty line.
  bool read_table(const BlockLine& head) {
    static const Regex dashes(R"(^\|?(?:[ \t]*:?-+:?[ \t]*\|)*+(?:[ \t]*:?-+:?[ \t]*)?$)");
    if (text(head).find('|') == std::string_view::npos || at_ + 1 >= lines_.size()) return false;
    const std::string_view second = text(block_line(file_, lines_[at_ + 1], true));
    if (second.find('|') == second.npos || second.find('-') == second.npos ||
        !matches(dashes, second)) {
      return false;
    }
    end_paragraph();
    read_cells(head.content);
    for (at_ += 2; at_ < lines_.size(); ++at_) {
      const BlockLine row = block_line(file_, lines_[at_], true);
      if (text(row).empty() || row.quotes != head.quotes) break;
      if (text(row).find('|') == std::string_view::npos) break;
      read_cells(row.content);
    }
    return true;
  }

  void read_cells(TextRange row) {
    size_t begin = row.begin;
    for (size_t at = row.begin; at <= row.end; ++at) {
      if (at < row.end && file_[at] == '\\')
        ++at;
      else if (at >= row.end || file_[at] == '|') {
        add({begin, std::min(at, row.end)}, TextForm::table_cell);
        begin = at + 1;
      }
    }
  }

  // A heading, a definition, or a line of a paragraph.
  void read_words(const BlockLine& line) {
    static const Regex heading(R"(^#{1,6}(?:[ \t]+|$))"),
        heading_end(R"((?:^|(?<![ \t])[ \t]++)#++$)");
    static const Regex kept(R"(^(?::::|\[![A-Z]+\]$))"), footnote(R"(^\[\^[^\]\s]+\]:[ \t]*)");
    const std::string_view content = text(line);
    if (const auto mark = heading.find(content)) {
      end_paragraph();
      TextRange range{line.content.begin + mark->end, line.content.end};
      if (const auto end = heading_end.find(range.of(file_))) range.end = range.begin + end->begin;
      return add(range, TextForm::markdown);
    }
    if (matches(kept, content) || (paragraph_.empty() && defined_label(content))) {
      return end_paragraph();
    }
    TextRange range = line.content;
    if (const auto mark = footnote.find(content)) {
      end_paragraph();
      range.begin += mark->end;
    }
    if (range.begin < range.end) paragraph_.push_back({line.whole.begin, range});
  }

  void add(TextRange range, TextForm form) {
    if (range.begin >= range.end) return;
    PlacedText placed = read_inline(file_, {&range, 1}, labels_, found_);
    if (!has_words(placed.text.text)) return;
    found_.texts.push_back({std::move(placed.text), placed.range, form});
  }

  void end_paragraph() {
    if (paragraph_.empty()) return;
    std::vector<TextRange> lines;
    size_t width = 0;
    for (const ParagraphLine& each : paragraph_) {
      lines.push_back(each.words);
      const std::string_view whole = TextRange{each.begin, each.words.end}.of(file_);
      width = std::max(width, static_cast<size_t>(count_code_points(whole)));
    }
    PlacedText placed = read_inline(file_, lines, labels_, found_);
    if (has_words(placed.text.text)) {
      MarkupText& own = found_.texts.emplace_back(
          MarkupText{std::move(placed.text), placed.range, TextForm::markdown});
      if (paragraph_.size() > 1) {
        own.width = width;
        const ParagraphLine& second = paragraph_[1];
        own.line_begin = TextRange{second.begin, second.words.begin}.of(file_);
      }
    }
    paragraph_.clear();
  }

  struct ParagraphLine {
    size_t begin;  // of the line
    TextRange words;
  };

  std::string_view file_;
  std::vector<TextRange> lines_;
  LinkLabels labels_;
  Markup found_;
  size_t at_ = 0;  // the line
  std::vector<ParagraphLine> paragraph_;
  size_t quotes_ = 0, list_indent_ = 0;
  bool after_blank_ = true;
};

}  // namespace

Markup read_markdown(std::string_view file) { return MarkdownReader(file).read(); }

}  // namespace calque
