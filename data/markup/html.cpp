#include "data/markup/html.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "data/markup/html_references.h"
#include "data/markup/html_tags.h"
#include "data/markup/text_builder.h"
#include "data/text/lowercase.h"

namespace calque {
namespace {

template <size_t count>
bool among(const std::string_view (&names)[count], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

// Elements that are kept whole. Those of a line are a part of its sentence.
bool is_kept_line(std::string_view name) {
  static constexpr std::string_view names[] = {"code", "kbd", "samp", "var", "svg", "math"};
  return among(names, name);
}

bool is_kept_block(std::string_view name) {
  static constexpr std::string_view names[] = {"pre",      "textarea", "iframe",
                                               "noframes", "noembed",  "xmp"};
  return among(names, name);
}

bool is_invisible(std::string_view name) { return name == "script" || name == "style"; }

bool is_seen(std::string_view attribute) {
  static constexpr std::string_view names[] = {"alt", "title", "placeholder", "aria-label"};
  return among(names, attribute);
}

class HtmlReader {
 public:
  HtmlReader(std::string_view html, bool xml) : html_(html), xml_(xml), builder_(found_.kept) {}

  Markup read() {
    while (at_ < html_.size()) read_piece();
    end_text();
    return std::move(found_);
  }

  // Reads lines of a file that `html` is the begin of, up to the last of them.
  size_t read_lines(std::string_view file, std::span<const TextRange> lines, Markup& found,
                    bool& unclosed) {
    std::swap(found_, found);
    if (!unclosed) file_ = file;
    for (const TextRange& line : lines) {
      if (at_ > 0 && at_ < line.begin) builder_.add(" ", {at_, at_});
      at_ = std::max(at_, line.begin);
      line_end_ = line.end;
      while (at_ < line.end) read_piece();
    }
    end_text();
    unclosed |= unclosed_;
    std::swap(found_, found);
    return at_;
  }

 private:
  void read_piece() {
    if (const auto tag = html_tag_at(html_, at_)) {
      at_ = tag->range.end;
      read_tag(*tag);
    } else {
      read_text();
    }
  }

  // Up to the next < or &, or one reference.
  void read_text() {
    const size_t begin = at_;
    if (html_[at_] != '&') {
      const std::string_view line = html_.substr(0, line_end_);
      at_ = std::min(line.find_first_of("<&", at_ + 1), line.size());
      return builder_.add(html_.substr(begin, at_ - begin), {begin, at_});
    }
    const std::string_view rest = html_.substr(at_);
    const auto [character, size] = decoded_reference(rest);
    const bool unknown = size == 0 && begins_reference(rest);
    at_ += unknown ? rest.find(';') + 1 : std::max<size_t>(size, 1);
    if (unknown) {
      builder_.keep({begin, at_});
    } else if (size == 0) {
      builder_.add("&", {begin, at_});
    } else if (character != "\u00AD") {  // a place for a hyphen in a word of the source
      builder_.add(character, {begin, at_});
    }
  }

  void read_tag(const HtmlTag& tag) {
    if (tag.kind == HtmlTag::Kind::other) return builder_.put(tag.range);
    const bool closing = tag.kind == HtmlTag::Kind::closing;
    if (!closing && read_kept(tag)) return;
    if (!is_inline(tag.name)) return end_text();
    if (closing) return builder_.close(tag.name, tag.range);
    if (is_void(tag.name) || (xml_ && tag.closes_itself)) return builder_.put(tag.range);
    builder_.open(tag.name, tag.range);
  }

  // Returns whether the element is kept as a whole.
  bool read_kept(const HtmlTag& tag) {
    const std::vector<HtmlAttribute> attributes = attributes_of(html_, tag);
    const bool line = is_kept_line(tag.name), own = line || is_kept_block(tag.name);
    if (!own && !is_invisible(tag.name) && !is_excepted(attributes)) {
      read_attributes(tag, attributes);
      return false;
    }
    const bool closes = tag.closes_itself && (xml_ || line);
    if (!closes && !is_void(tag.name)) at_ = end_of_kept(tag, own);
    const TextRange whole{tag.range.begin, at_};
    if (is_invisible(tag.name)) {
      builder_.put(whole);
    } else if (line || is_inline(tag.name)) {
      builder_.keep(whole);
    } else {
      end_text();
    }
    return true;
  }

  // An element that is not closed in the lines of another file may be closed behind them.
  size_t end_of_kept(const HtmlTag& tag, bool flat) {
    const bool first = flat || is_invisible(tag.name);
    const auto end = first ? behind_first_end(html_, tag) : behind_end(html_, tag);
    if (end) return *end;
    const auto later = first ? behind_first_end(file_, tag) : behind_end(file_, tag);
    unclosed_ |= !later;
    return later.value_or(html_.size());
  }

  static std::optional<size_t> behind_first_end(std::string_view html, const HtmlTag& tag) {
    const auto end = html_tag_at(html, find_closing_tag(html, tag.range.end, tag.name));
    return end ? std::optional(end->range.end) : std::nullopt;
  }

  // Of an element that may hold others of its name.
  static std::optional<size_t> behind_end(std::string_view html, const HtmlTag& element) {
    size_t at = html.find('<', element.range.end);
    for (int depth = 1; at != html.npos; at = html.find('<', at)) {
      const auto tag = html_tag_at(html, at);
      at = tag ? tag->range.end : at + 1;
      if (!tag || tag->name != element.name) continue;
      if (tag->kind == HtmlTag::Kind::opening) ++depth;
      if (tag->kind == HtmlTag::Kind::closing && --depth == 0) return at;
    }
    return std::nullopt;
  }

  bool is_excepted(const std::vector<HtmlAttribute>& attributes) const {
    return std::ranges::any_of(attributes, [&](const HtmlAttribute& each) {
      const std::string value = ascii_lowercase(each.value.of(html_));
      return (each.name == "translate" && value == "no") ||
             (each.name == "class" && value.find("notranslate") != value.npos);
    });
  }

  void read_attributes(const HtmlTag& tag, const std::vector<HtmlAttribute>& attributes) {
    const bool described = tag.name == "meta" && describes(attributes);
    for (const HtmlAttribute& each : attributes) {
      const bool language = each.name == "lang" || each.name == "xml:lang";
      if (tag.name == "html" && language) {
        found_.edits.push_back({each.value, "", MarkupEdit::Language::with});
      }
      if (each.quote == 0 || !(is_seen(each.name) || (described && each.name == "content"))) {
        continue;
      }
      HtmlReader value(html_.substr(0, each.value.end), false);
      value.at_ = each.value.begin;
      std::swap(value.found_.kept, found_.kept);
      while (value.at_ < each.value.end) value.read_text();
      value.end_text(TextForm::attribute);
      std::swap(value.found_.kept, found_.kept);
      std::ranges::move(value.found_.texts, std::back_inserter(found_.texts));
    }
  }

  bool describes(const std::vector<HtmlAttribute>& attributes) const {
    static constexpr std::string_view names[] = {"description", "og:title", "og:description",
                                                 "twitter:title", "twitter:description"};
    return std::ranges::any_of(attributes, [&](const HtmlAttribute& each) {
      return (each.name == "name" || each.name == "property") &&
             among(names, ascii_lowercase(each.value.of(html_)));
    });
  }

  void end_text(TextForm form = TextForm::html) {
    PlacedText placed = builder_.take();
    if (!has_words(placed.text.text)) return;
    found_.texts.push_back({std::move(placed.text), placed.range, form});
  }

  std::string_view html_, file_;  // file_: that `html` is the begin of
  size_t line_end_ = std::string_view::npos;
  bool xml_, unclosed_ = false;
  size_t at_ = 0;
  Markup found_;
  MarkedTextBuilder builder_;
};

}  // namespace

Markup read_html(std::string_view html, bool xml) { return HtmlReader(html, xml).read(); }

size_t read_html_lines(std::string_view file, std::span<const TextRange> lines, Markup& found,
                       bool& unclosed) {
  return HtmlReader(file.substr(0, lines.back().end), false)
      .read_lines(file, lines, found, unclosed);
}

}  // namespace calque
