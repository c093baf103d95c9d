#include "data/placeholders/kept_text.h"

#include <algorithm>

#include "core/error.h"
#include "data/text/letter_case.h"
#include "data/text/lowercase.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

bool is_word_byte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The part of `range` from its first to its last letter or what follows it within the word; empty
// without letters.
TextRange with_letters(std::string_view text, TextRange range) {
  std::optional<size_t> first;
  size_t last = range.begin;
  for (size_t at = range.begin; at < range.end;) {
    const size_t begin = at;
    if (!is_letter(next_code_point(text, at))) continue;
    if (!first) first = begin;
    last = at;
  }
  while (last < range.end && is_word_byte(text[last])) ++last;
  return {first.value_or(range.begin), first ? last : range.begin};
}

std::vector<size_t> places_of_word(const std::string& word, const std::string& text) {
  std::vector<size_t> places;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_byte(text[at - 1]);
    if (begins && (end == text.size() || !is_word_byte(text[end]))) places.push_back(at);
  }
  return places;
}

}  // namespace

KeptText::KeptText(std::string text, const PlaceholderKinds& kinds)
    : text_(std::move(text)), kinds_(kinds), ranges_(find_placeholders(text_, kinds)) {
  const auto occurs = [&](size_t i) { return text_.find(mask(i)) != text_.npos; };
  for (size_t i = 1; i <= ranges_.size(); ++i) {
    while (occurs(i)) mask_ += 'X', i = 1;
  }
}

std::string KeptText::masked() const {
  std::string masked;
  size_t at = 0;
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const TextRange& range = ranges_[i];
    masked.append(text_, at, range.begin - at);
    if (!masked.empty() && is_word_byte(masked.back())) masked += ' ';
    masked += mask(i + 1);
    if (range.end < text_.size() && is_word_byte(text_[range.end])) masked += ' ';
    at = range.end;
  }
  return masked.append(text_, at);
}

std::optional<std::string> KeptText::unmasked(std::string_view translation) const {
  const std::string lower = ascii_lowercase(translation);
  std::vector<std::pair<size_t, size_t>> found;  // where, and which
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const std::vector<size_t> places = places_of_word(ascii_lowercase(mask(i + 1)), lower);
    if (places.size() != 1) return std::nullopt;
    found.emplace_back(places.front(), i);
  }
  std::ranges::sort(found);
  std::string text;
  size_t at = 0;
  for (const auto& [where, i] : found) {
    const TextRange& range = ranges_[i];
    text += translation.substr(at, where - at);
    at = where + mask(i + 1).size();
    // The spaces that masked() added.
    const bool joins_left = range.begin > 0 && is_word_byte(text_[range.begin - 1]);
    const bool joins_right = range.end < text_.size() && is_word_byte(text_[range.end]);
    if (joins_left && text.ends_with(' ')) text.pop_back();
    text += range.of(text_);
    if (joins_right && at < translation.size() && translation[at] == ' ') ++at;
  }
  text += translation.substr(at);
  if (!accepts(text)) return std::nullopt;
  return text;
}

std::vector<TextRange> KeptText::segment_ranges() const {
  std::vector<TextRange> segments;
  size_t at = 0;
  const auto add = [&](size_t end) {
    const TextRange segment = with_letters(text_, {at, end});
    if (segment.begin < segment.end) segments.push_back(segment);
  };
  for (const TextRange& range : ranges_) {
    add(range.begin);
    at = range.end;
  }
  add(text_.size());
  return segments;
}

std::vector<std::string> KeptText::segments() const {
  std::vector<std::string> segments;
  for (const TextRange& range : segment_ranges()) segments.emplace_back(range.of(text_));
  return segments;
}

std::string KeptText::joined(std::span<const std::string> translations) const {
  const std::vector<TextRange> segments = segment_ranges();
  require(translations.size() == segments.size(), "joined: {} translations of {} segments",
          translations.size(), segments.size());
  std::string text;
  size_t at = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    text.append(text_, at, segments[i].begin - at);
    const std::string_view own = segments[i].of(text_);
    std::string_view translation = translations[i];
    while (translation.ends_with('.'))
      translation.remove_suffix(1);  // a segment ends with a letter
    const bool same = same_placeholders(own, translation, kinds_);
    text += same && !translation.empty() ? translation : own;
    at = segments[i].end;
  }
  text.append(text_, at);
  return accepts(text) ? text : text_;
}

std::vector<std::string> translate_keeping(std::span<const std::string> texts,
                                           const PlaceholderKinds& kinds,
                                           const TranslateAll& translate, KeptCounts& counts) {
  std::vector<KeptText> all;
  std::vector<std::string> inputs;
  for (const std::string& text : texts) {
    const KeptText& kept = all.emplace_back(text, kinds);
    inputs.push_back(kept.is_readable() ? text : kept.masked());
  }
  std::vector<std::string> translations = translate(inputs);
  inputs.clear();
  std::vector<std::pair<size_t, KeptText>> rejected, hardest;
  for (size_t i = 0; i < texts.size(); ++i) {
    KeptText& kept = all[i];
    if (!kept.is_readable()) {
      if (auto text = kept.unmasked(translations[i])) {
        translations[i] = *std::move(text);
        ++counts.masked;
      } else {
        hardest.emplace_back(i, std::move(kept));
      }
    } else if (kept.accepts(translations[i])) {
      ++counts.whole;
    } else if (kept.has_placeholders()) {
      inputs.push_back(kept.masked());
      rejected.emplace_back(i, std::move(kept));
    } else {
      hardest.emplace_back(i, std::move(kept));
    }
  }
  std::vector<std::string> found;
  if (!inputs.empty()) found = translate(inputs);
  for (size_t i = 0; i < rejected.size(); ++i) {
    if (std::optional<std::string> text = rejected[i].second.unmasked(found[i])) {
      translations[rejected[i].first] = *std::move(text);
      ++counts.masked;
    } else {
      hardest.push_back(std::move(rejected[i]));
    }
  }
  inputs.clear();
  for (const auto& [i, kept] : hardest)
    std::ranges::move(kept.segments(), std::back_inserter(inputs));
  if (!inputs.empty()) found = translate(inputs);
  size_t at = 0;
  for (const auto& [i, kept] : hardest) {
    const size_t count = kept.segments().size();
    translations[i] = kept.joined(std::span(found).subspan(at, count));
    at += count;
    ++counts.in_segments;
  }
  return translations;
}

}  // namespace calque
