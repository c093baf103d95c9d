#include "data/markup/html.h"

#include <algorithm>
#include <iterator>

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
    while (at_ < html_.size()) {
      if (const auto tag = html_tag_at(html_, at_)) {
        at_ = tag->range.end;
        read_tag(*tag);
      } else {
        read_text();
      }
    }
    end_text();
    return std::move(found_);
  }

 private:
  // Up to the next < or &, or one reference.
  void read_text() {
    const size_t begin = at_;
    if (html_[at_] != '&') {
      at_ = std::min(html_.find_first_of("<&", at_ + 1), html_.size());
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
    if (!closes && !is_void(tag.name)) at_ = own ? behind_first_end(tag) : behind_end(tag);
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

  size_t behind_first_end(const HtmlTag& tag) const {
    const size_t end = find_closing_tag(html_, tag.range.end, tag.name);
    return end == html_.size() ? end : html_tag_at(html_, end)->range.end;
  }

  // Of an element that may hold others of its name.
  size_t behind_end(const HtmlTag& element) const {
    if (is_invisible(element.name)) return behind_first_end(element);
    size_t at = html_.find('<', element.range.end);
    for (int depth = 1; at != html_.npos; at = html_.find('<', at)) {
      const auto tag = html_tag_at(html_, at);
      at = tag ? tag->range.end : at + 1;
      if (!tag || tag->name != element.name) continue;
      if (tag->kind == HtmlTag::Kind::opening) ++depth;
      if (tag->kind == HtmlTag::Kind::closing && --depth == 0) return at;
    }
    return html_.size();
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

  std::string_view html_;
  bool xml_;
  size_t at_ = 0;
  Markup found_;
  MarkedTextBuilder builder_;
};

}  // namespace

Markup read_html(std::string_view html, bool xml) { return HtmlReader(html, xml).read(); }

}  // namespace calque
