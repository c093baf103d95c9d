#include "data/markup/marked_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "data/text/letter_case.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

struct TagIndices {
  size_t first, end;
};

// The tags of a sentence: those inside it, those that open at its beginning, and those that close
// at its end.
TagIndices tag_indices(const std::vector<InlineTag>& tags, const TextRange& range) {
  const auto index = [&](auto found) { return static_cast<size_t>(found - tags.begin()); };
  size_t first = index(std::ranges::upper_bound(tags, range.begin, {}, &InlineTag::at));
  while (first > 0 && tags[first - 1].at == range.begin &&
         tags[first - 1].role == TagRole::opening) {
    --first;
  }
  size_t end = index(std::ranges::lower_bound(tags, range.end, {}, &InlineTag::at));
  while (end < tags.size() && tags[end].at == range.end && tags[end].role == TagRole::closing) {
    ++end;
  }
  return {first, std::max(first, end)};
}

}  // namespace

std::string kept_part(size_t number) {
  return std::string(kept_begin) + std::to_string(number) + std::string(kept_end);
}

std::optional<size_t> number_of_kept(std::string_view text) {
  if (!text.starts_with(kept_begin)) return std::nullopt;
  const char *const begin = text.data() + kept_begin.size(), *const last =
                                                                 text.data() + text.size();
  size_t number = 0;
  const auto [end, problem] = std::from_chars(begin, last, number);
  const bool complete = std::string_view(end, last).starts_with(kept_end);
  return problem == std::errc() && complete ? std::optional(number) : std::nullopt;
}

bool has_words(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (is_letter(next_code_point(text, at))) return true;
  }
  return false;
}

std::vector<MarkedText> marked_sentences(const MarkedText& whole,
                                         std::span<const TextRange> ranges) {
  std::vector<MarkedText> sentences;
  for (const TextRange& range : ranges) {
    MarkedText& own = sentences.emplace_back(MarkedText{std::string(range.of(whole.text))});
    const TagIndices indices = tag_indices(whole.tags, range);
    for (size_t i = indices.first; i < indices.end; ++i) {
      own.tags.push_back(whole.tags[i]);
      own.tags.back().at -= range.begin;
    }
  }
  return sentences;
}

MarkedText with_marked_sentences(const MarkedText& whole, std::span<const TextRange> ranges,
                                 std::span<const MarkedText> sentences) {
  MarkedText joined;
  size_t at = 0, tag = 0;
  const auto add_between = [&](size_t end, size_t tags_end) {
    for (; tag < tags_end; ++tag) {
      joined.tags.push_back(whole.tags[tag]);
      joined.tags.back().at = joined.text.size() + (whole.tags[tag].at - at);
    }
    joined.text.append(whole.text, at, end - at);
    at = end;
  };
  for (size_t i = 0; i < ranges.size(); ++i) {
    const TagIndices own = tag_indices(whole.tags, ranges[i]);
    add_between(ranges[i].begin, own.first);
    for (const InlineTag& each : sentences[i].tags) {
      joined.tags.push_back(each);
      joined.tags.back().at += joined.text.size();
    }
    joined.text += sentences[i].text;
    at = ranges[i].end;
    tag = own.end;
  }
  add_between(whole.text.size(), whole.tags.size());
  return joined;
}

}  // namespace calque
