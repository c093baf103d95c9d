#include "data/markup/wrapped_lines.h"

#include <algorithm>

#include "data/markup/markdown_escapes.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr size_t usual_width = 42;  // of a line of subtitles

// The space nearest to the middle of a part, where a space behind a comma counts as nearer.
void wrap_speech(std::string& text, TextRange range, size_t width) {
  const auto length = [&](size_t begin, size_t end) {
    return static_cast<size_t>(count_code_points(TextRange{begin, end}.of(text)));
  };
  const size_t whole = length(range.begin, range.end);
  const size_t lines = (whole + width - 1) / width;
  size_t begin = range.begin;
  for (size_t left = lines; left > 1; --left) {
    const size_t ideal = length(begin, range.end) / left;
    size_t best = text.npos, least = text.npos, characters = 0, counted = begin;
    for (size_t at = text.find(' ', begin); at < range.end; at = text.find(' ', at + 1)) {
      characters += length(counted, at), counted = at;
      const size_t distance = characters > ideal ? characters - ideal : ideal - characters;
      const bool pause = std::string_view(",;:.!?").find(text[at - 1]) != std::string_view::npos;
      const size_t cost = distance + (pause ? 0 : 6) + (characters > width ? 100 : 0);
      if (at > begin && cost < least) best = at, least = cost;
      if (characters > 2 * width) break;
    }
    if (best == text.npos) return;
    text[best] = wrap_mark;
    begin = best + 1;
  }
}

}  // namespace

void wrap_subtitles(MarkedText& translation, size_t width) {
  std::string& text = translation.text;
  std::vector<size_t> ends;
  for (const InlineTag& tag : translation.tags) {
    if (tag.role == TagRole::border) ends.push_back(tag.at);
  }
  for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
    ends.push_back(at);
  }
  ends.push_back(text.size());
  std::ranges::sort(ends);
  size_t begin = 0;
  for (const size_t end : ends) {
    while (begin < end && (text[begin] == ' ' || text[begin] == '\n')) ++begin;
    size_t last = end;
    while (last > begin && text[last - 1] == ' ') --last;
    wrap_speech(text, {begin, last}, std::max(width, usual_width));
    begin = std::max(begin, end);
  }
}

void wrap_paragraph(MarkedText& translation, const MarkupText& source, const Markup& markup) {
  std::string& text = translation.text;
  const auto indent = static_cast<size_t>(count_code_points(source.line_begin));
  auto tag = translation.tags.begin();
  size_t column = indent, space = text.npos, from_space = 0;
  for (size_t at = 0; at < text.size();) {
    for (; tag != translation.tags.end() && tag->at <= at; ++tag) {
      const size_t size =
          tag->instead.empty() ? tag->range.end - tag->range.begin : tag->instead.size();
      column += size, from_space += size;
    }
    size_t size = 1, next = at;
    const auto kept = number_of_kept(std::string_view(text).substr(at));
    if (kept && *kept < markup.kept.size()) {
      size = markup.kept[*kept].end - markup.kept[*kept].begin;
      next = text.find(kept_end, at) + kept_end.size();
    } else {
      next_code_point(text, next);
    }
    if (text[at] == ' ' && !begins_block(std::string_view(text).substr(at + 1))) {
      space = at, from_space = 0;
    }
    column += size, from_space += size;
    if (text[at] == '\n') column = indent, space = text.npos;
    if (column > source.width && space != text.npos && space != at) {
      text[space] = wrap_mark;
      column = indent + from_space - 1;
      space = text.npos;
    }
    at = next;
  }
}

}  // namespace calque
