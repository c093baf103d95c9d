#include "data/placeholders/kept_text.h"

#include <algorithm>

#include "core/error.h"
#include "core/parse_number.h"
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

constexpr std::string_view digits = "0123456789";

// The length of the longest run of X in front of the first digit of a mask; 0 without one.
size_t longest_mask(std::string_view text, size_t masks) {
  size_t longest = 0, run = 0;
  for (const char c : text) {
    const bool digit = c >= '1' && c <= '9' && static_cast<size_t>(c - '0') <= masks;
    if (digit) longest = std::max(longest, run);
    run = c == 'X' ? run + 1 : 0;
  }
  return longest;
}

struct NumberedWord {
  size_t begin;
  std::string_view number;
};

// The words that are `begin`, in any case, and a number.
std::vector<NumberedWord> numbered_words(std::string_view begin, std::string_view text) {
  const std::string lower = ascii_lowercase(text), word = ascii_lowercase(begin);
  std::vector<NumberedWord> words;
  for (size_t at = lower.find(word); at != lower.npos; at = lower.find(word, at + 1)) {
    const size_t number = at + word.size();
    const size_t end = std::min(lower.find_first_not_of(digits, number), lower.size());
    const bool begins = at == 0 || !is_word_byte(lower[at - 1]);
    const bool ends = end == lower.size() || !is_word_byte(lower[end]);
    if (begins && ends) words.push_back({at, text.substr(number, end - number)});
  }
  return words;
}

}  // namespace

KeptText::KeptText(std::string text, const PlaceholderKinds& kinds)
    : text_(std::move(text)),
      kinds_(kinds),
      ranges_(find_placeholders(text_, kinds)),
      mask_(1 + longest_mask(text_, ranges_.size()), 'X') {}

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
  std::string text;
  size_t at = 0;
  std::vector<bool> found(ranges_.size());
  for (const auto& [begin, number] : numbered_words(mask_, translation)) {
    const auto which = parse_number<size_t>(number);
    if (!which || *which == 0 || *which > ranges_.size() || number.front() == '0') continue;
    if (found[*which - 1]) return std::nullopt;
    found[*which - 1] = true;
    const TextRange& range = ranges_[*which - 1];
    text += translation.substr(at, begin - at);
    at = begin + mask(*which).size();
    // The spaces that masked() added.
    const bool joins_left = range.begin > 0 && is_word_byte(text_[range.begin - 1]);
    const bool joins_right = range.end < text_.size() && is_word_byte(text_[range.end]);
    if (joins_left && text.ends_with(' ')) text.pop_back();
    text += range.of(text_);
    if (joins_right && at < translation.size() && translation[at] == ' ') ++at;
  }
  text += translation.substr(at);
  if (std::ranges::count(found, false) > 0 || !accepts(text)) return std::nullopt;
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
