#include "data/markup/markdown_inline.h"

#include <algorithm>
#include <optional>
#include <set>

#include "data/markup/html_references.h"
#include "data/markup/html_tags.h"
#include "data/markup/markdown_escapes.h"
#include "data/markup/markdown_tokens.h"
#include "data/text/regex.h"

namespace calque {
namespace {

// "(address "title")" behind a link's text; returns its end, or `at` if it is none.
size_t end_of_target(std::string_view file, size_t at) {
  static const Regex target(
      R"(\G\(\s*+(?:<[^<>\n]*+>|(?:[^()\s\\]++|\\.|\((?:[^()\s\\]++|\\.|)"
      R"(\((?:[^()\s\\]++|\\.)*+\))*+\))*+))"
      R"((?:\s++(?:"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+'|\((?:[^()\\]++|\\.)*+\)))?\s*+\))");
  const auto match = target.find(file, at);
  return match ? match->end : at;
}

class InlineReader {
  using Kind = InlineToken::Kind;

 public:
  InlineReader(std::string_view file, std::span<const TextRange> lines, const LinkLabels& labels,
               Markup& found)
      : file_(file.substr(0, lines.back().end)), lines_(lines), labels_(labels), found_(found) {}

  PlacedText read() {
    at_ = lines_.front().begin;
    while (true) {
      if (at_ < lines_[line_].end) {
        read_token();
      } else if (line_ + 1 < lines_.size()) {
        end_line();
      } else {
        break;
      }
    }
    pair_emphasis(tokens_);
    return text_of(std::move(tokens_), found_.kept);
  }

 private:
  void push(Kind kind, size_t end, std::string text = {}) {
    tokens_.push_back({kind, {at_, end}, std::move(text)});
    move_to(end);
  }
  void move_to(size_t end) {
    at_ = end;
    while (line_ + 1 < lines_.size() && lines_[line_ + 1].begin <= at_) ++line_;
  }
  std::string_view rest() const { return file_.substr(at_); }

  // Two spaces or a backslash at the end of a line break the line.
  void end_line() {
    const size_t next = lines_[line_ + 1].begin;
    const bool spaces = file_.substr(at_).starts_with("  ");
    const bool backslash = !tokens_.empty() && tokens_.back().range == TextRange{at_ - 1, at_} &&
                           file_[at_ - 1] == '\\';
    if (backslash) tokens_.pop_back();
    if (spaces || backslash) {
      push(Kind::line_end, next);
    } else {
      push(Kind::text, next, " ");
    }
  }

  void read_token() {
    const char c = file_[at_];
    const size_t end = lines_[line_].end;
    const char after = at_ + 1 < end ? file_[at_ + 1] : '\0';
    if (c == '\\' && is_ascii_punctuation(after)) return push(Kind::text, at_ + 2, {after});
    if (c == '`') return read_code();
    if (c == '<' && read_angle()) return;
    if (c == '&') {
      const auto [character, size] = decoded_reference(rest());
      if (size > 0) return push(Kind::text, at_ + size, character);
      if (begins_reference(rest())) return push(Kind::kept, file_.find(';', at_) + 1);
    }
    if ((c == '{' || c == '$') && read_code_of_others()) return;
    if (c == '*' || c == '_' || (c == '~' && after == '~')) return read_delimiters();
    if (c == '[' || (c == '!' && after == '[')) {
      brackets_.push_back(tokens_.size());
      return push(Kind::bracket, at_ + (c == '!' ? 2 : 1), c == '!' ? "![" : "[");
    }
    if (c == ']' && read_closing_bracket()) return;
    if (c == ':' && read_emoji()) return;
    const size_t next =
        std::min(file_.substr(0, end).find_first_of("\\`<&*_~[]!:{$", at_ + 1), end);
    push(Kind::text, next, std::string(file_.substr(at_, next - at_)));
  }

  // `code`: up to a run of as many backticks.
  void read_code() {
    const size_t behind = std::min(file_.find_first_not_of('`', at_), file_.size());
    const size_t count = behind - at_;
    size_t at = no_code_.contains(count) ? file_.npos : file_.find('`', behind);
    for (; at != file_.npos; at = file_.find('`', at)) {
      const size_t end = std::min(file_.find_first_not_of('`', at), file_.size());
      if (end - at == count) return push(Kind::kept, end);
      at = end;
    }
    no_code_.insert(count);
    push(Kind::text, behind, std::string(count, '`'));
  }

  bool read_angle() {
    static const Regex address(
        R"(\G<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{0,2000}|[A-Za-z0-9._+-]{1,200}@[A-Za-z0-9.-]{1,200})>)");
    if (const auto match = address.find(file_, at_)) return push(Kind::kept, match->end), true;
    if (rest().starts_with("<![CDATA[") && !no_cdata_) {
      const size_t end = file_.find("]]>", at_);
      no_cdata_ = end == file_.npos;
      if (!no_cdata_) return push(Kind::kept, end + 3), true;
    }
    const auto tag = tags_.at(file_, at_);
    if (!tag) return false;
    const bool closing = tag->kind == HtmlTag::Kind::closing;
    if (const size_t end = closing ? 0 : end_of_kept(*tag)) return push(Kind::kept, end), true;
    const bool around = is_inline(tag->name) && !is_void(tag->name) && !tag->closes_itself &&
                        tag->kind != HtmlTag::Kind::other;
    const Kind kind = !around ? Kind::tag : closing ? Kind::closing : Kind::opening;
    push(kind, tag->range.end, tag->name);
    return true;
  }

  // Behind the closing tag of an element whose content is kept; otherwise 0.
  size_t end_of_kept(const HtmlTag& tag) {
    const bool kept = tag.name == "code" || tag.name == "kbd" || tag.name == "samp";
    if (!kept || no_closing_tag_.contains(tag.name)) return 0;
    const auto last = html_tag_at(file_, find_closing_tag(file_, tag.range.end, tag.name));
    if (!last) no_closing_tag_.insert(tag.name);
    return last ? last->range.end : 0;
  }

  // {{shortcode}}, {% directive %} and $formula$.
  bool read_code_of_others() {
    static const Regex code(
        R"(\G(?:\{\{[^{}\n]{1,500}\}\}|\{%[^%\n]{1,500}%\}|\$(?=\S)[^$\n]{1,500}(?<=\S)\$(?!\d)))");
    const auto match = code.find(file_, at_);
    if (match) push(Kind::kept, match->end);
    return match.has_value();
  }

  bool read_emoji() {
    static const Regex emoji(R"(\G:[a-z0-9_+-]{1,40}:)");
    const auto match = emoji.find(file_, at_);
    if (match) push(Kind::kept, match->end);
    return match.has_value();
  }

  // A run of * or _ may open emphasis before a word and close it behind one.
  void read_delimiters() {
    const char c = file_[at_];
    const size_t end = std::min(file_.find_first_not_of(c, at_), lines_[line_].end);
    const char before = at_ > lines_[line_].begin ? file_[at_ - 1] : ' ';
    const char after = end < lines_[line_].end ? file_[end] : ' ';
    const auto loose = [](char side) { return is_ascii_space(side) || is_ascii_punctuation(side); };
    const bool left = !is_ascii_space(after) && (!is_ascii_punctuation(after) || loose(before));
    const bool right = !is_ascii_space(before) && (!is_ascii_punctuation(before) || loose(after));
    const bool inside = c == '_' && left && right;
    InlineToken token{Kind::delimiters, {at_, end}, std::string(file_.substr(at_, end - at_))};
    token.opens = left && (!inside || is_ascii_punctuation(before));
    token.closes = right && (!inside || is_ascii_punctuation(after));
    if (!token.opens && !token.closes) token.kind = Kind::text;
    tokens_.push_back(std::move(token));
    move_to(end);
  }

  // A link, an image or a footnote; returns whether it is one.
  bool read_closing_bracket() {
    if (brackets_.empty()) return false;
    const size_t first = brackets_.back();
    brackets_.pop_back();
    const TextRange open = tokens_[first].range;
    const std::string_view inner = file_.substr(open.end, at_ - open.end);
    const bool image = tokens_[first].text == "![";
    if (!image && inner.starts_with('^')) return replace(first, at_ + 1), true;
    size_t end = at_ + 1;
    std::string instead;
    if (file_.substr(end).starts_with('(')) {
      end = end_of_target(file_, end);
    } else if (file_.substr(end).starts_with('[') && !file_.substr(end).starts_with("[]")) {
      const size_t close = std::min(file_.find(']', end), file_.size());
      if (!is_label(file_.substr(end + 1, close - end - 1))) return false;
      end = std::min(close + 1, file_.size());
    }
    if (end == at_ + 1 && is_label(inner)) {
      if (file_.substr(end).starts_with("[]")) end += 2;
      const bool lines = inner.find('\n') != inner.npos;
      instead = "][" + (lines ? link_label(inner) : std::string(inner)) + "]";
    } else if (end == at_ + 1) {
      return false;
    }
    if (image) {
      read_alt(inner, open.end);
      return replace(first, end), true;
    }
    if (names_itself(inner, at_ + 1)) return replace(first, end, Kind::kept), true;
    tokens_[first].kind = Kind::opening;
    tokens_[first].text = link_name(open.begin);
    const std::string name = tokens_[first].text;
    push(Kind::closing, end, name);
    tokens_.back().instead = instead;
    return true;
  }

  bool is_label(std::string_view text) const {
    constexpr size_t longest = 999;
    return text.size() <= longest && std::ranges::binary_search(labels_, link_label(text));
  }

  // Whether the text of a link is its address: "[docs/x.md](docs/x.md)".
  bool names_itself(std::string_view text, size_t target) const {
    const std::string_view rest = file_.substr(target);
    return rest.starts_with('(') && rest.substr(1).starts_with(text) &&
           rest.substr(1 + text.size()).starts_with(')');
  }

  // All tokens from the first become one: a tag at a place, or a kept part.
  void replace(size_t first, size_t end, Kind kind = Kind::tag) {
    at_ = tokens_[first].range.begin;
    tokens_.resize(first, InlineToken{Kind::tag, {}});
    push(kind, end);
  }

  void read_alt(std::string_view alt, size_t at) {
    if (alt.find_first_of("[]`<\n") != alt.npos) return;
    const TextRange line{at, at + alt.size()};
    if (line.begin == line.end) return;
    PlacedText placed = read_inline(file_, {&line, 1}, labels_, found_);
    if (!has_words(placed.text.text)) return;
    found_.texts.push_back({std::move(placed.text), placed.range, TextForm::markdown});
  }

  std::string_view file_;
  std::span<const TextRange> lines_;
  const LinkLabels& labels_;
  Markup& found_;
  size_t at_ = 0, line_ = 0;
  std::vector<InlineToken> tokens_;
  std::vector<size_t> brackets_;          // tokens
  std::set<size_t> no_code_;              // numbers of backticks that nothing closes
  std::set<std::string> no_closing_tag_;  // names of elements that nothing closes
  bool no_cdata_ = false;                 // whether nothing closes a <![CDATA[
  ClosedTags tags_;
};

}  // namespace

PlacedText read_inline(std::string_view file, std::span<const TextRange> lines,
                       const LinkLabels& labels, Markup& found) {
  return InlineReader(file, lines, labels, found).read();
}

}  // namespace calque
