#include "data/markup/html_tags.h"

#include <algorithm>
#include <iterator>

#include "data/text/lowercase.h"

namespace calque {
namespace {

constexpr std::string_view html_space = " \t\n\r\f";

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether the last character before `at` that is no space is =.
bool follows_equals(std::string_view html, size_t at) {
  const size_t before = html.find_last_not_of(html_space, at - 1);
  return before != html.npos && html[before] == '=';
}

size_t end_behind(std::string_view html, std::string_view end, size_t from) {
  const size_t found = html.find(end, from);
  return found == html.npos ? html.size() : found + end.size();
}

// Behind the > that is in no quoted value.
size_t end_of_tag(std::string_view html, size_t at) {
  char quote = 0;
  for (; at < html.size() && (quote || html[at] != '>'); ++at) {
    const bool mark = html[at] == '"' || html[at] == '\'';
    if (quote) {
      if (html[at] == quote) quote = 0;
    } else if (mark && follows_equals(html, at)) {
      quote = html[at];
    }
  }
  return std::min(html.size(), at + 1);
}

size_t end_of_name(std::string_view html, size_t at) {
  return std::min(html.find_first_of(" \t\n\r\f/>", at), html.size());
}

}  // namespace

std::optional<HtmlTag> html_tag_at(std::string_view html, size_t at) {
  using Kind = HtmlTag::Kind;
  if (at + 1 >= html.size() || html[at] != '<') return std::nullopt;
  const char next = html[at + 1];
  if (html.substr(at).starts_with("<!--")) {
    return HtmlTag{Kind::other, "", {at, end_behind(html, "-->", at + 4)}};
  }
  if (html.substr(at).starts_with("<?php")) {
    return HtmlTag{Kind::other, "", {at, end_behind(html, "?>", at + 5)}};
  }
  if (next == '!' || next == '?') return HtmlTag{Kind::other, "", {at, end_of_tag(html, at + 1)}};
  const bool closing = next == '/';
  const size_t name = at + (closing ? 2 : 1);
  if (name >= html.size() || !is_ascii_letter(html[name])) return std::nullopt;
  HtmlTag tag{closing ? Kind::closing : Kind::opening,
              ascii_lowercase(html.substr(name, end_of_name(html, name) - name)),
              {at, end_of_tag(html, name)}};
  tag.closes_itself = tag.range.of(html).ends_with("/>");
  return tag;
}

std::optional<HtmlTag> ClosedTags::at(std::string_view text, size_t at) {
  constexpr int most_unclosed = 20;
  if (unclosed_ == most_unclosed) return std::nullopt;
  std::optional<HtmlTag> tag = html_tag_at(text, at);
  if (!tag || text[tag->range.end - 1] == '>') return tag;
  ++unclosed_;
  return std::nullopt;
}

std::vector<HtmlAttribute> attributes_of(std::string_view html, const HtmlTag& tag) {
  std::vector<HtmlAttribute> all;
  size_t end = tag.range.end;
  if (html[end - 1] == '>') --end;
  html = html.substr(0, end);
  size_t at = end_of_name(html, tag.range.begin + 1);
  const auto skip = [&](std::string_view characters) {
    at = std::min(html.find_first_not_of(characters, at), end);
  };
  while (true) {
    skip(" \t\n\r\f/");
    if (at >= end) return all;
    const size_t name = at;
    at = std::min(html.find_first_of(" \t\n\r\f/=", at + 1), end);
    HtmlAttribute attribute{ascii_lowercase(html.substr(name, at - name)), {}};
    skip(html_space);
    if (at >= end || html[at] != '=') continue;
    ++at;
    skip(html_space);
    if (at >= end) return all;
    const bool quoted = html[at] == '"' || html[at] == '\'';
    if (quoted) attribute.quote = html[at++];
    const size_t value = at;
    at =
        std::min(quoted ? html.find(attribute.quote, at) : html.find_first_of(html_space, at), end);
    attribute.value = {value, at};
    if (quoted) at = std::min(at + 1, end);
    all.push_back(std::move(attribute));
  }
}

size_t find_closing_tag(std::string_view html, size_t at, std::string_view name) {
  for (at = html.find("</", at); at != html.npos; at = html.find("</", at + 2)) {
    const size_t end = at + 2 + name.size();
    if (ascii_lowercase(html.substr(at + 2, name.size())) != name) continue;
    if (end == html.size() || end_of_name(html, end) == end) return at;
  }
  return html.size();
}

bool is_void(std::string_view name) {
  static constexpr std::string_view names[] = {"area",  "base", "br",     "col",   "embed",
                                               "hr",    "img",  "input",  "link",  "meta",
                                               "param", "path", "source", "track", "wbr"};
  return std::ranges::find(names, name) != std::end(names);
}

bool is_inline(std::string_view name) {
  static constexpr std::string_view names[] = {
      "a",      "abbr",   "acronym", "b",    "bdi",  "bdo",  "big", "cite",  "data",
      "del",    "dfn",    "em",      "font", "i",    "img",  "ins", "label", "mark",
      "nobr",   "q",      "rb",      "rp",   "rt",   "ruby", "s",   "small", "span",
      "strike", "strong", "sub",     "sup",  "time", "tt",   "u",   "wbr"};
  return std::ranges::find(names, name) != std::end(names);
}

}  // namespace calque
