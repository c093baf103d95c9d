#pragma once
// A text with placeholders, and the ways to translate it so that each stays exactly once. They are
// tried in this order:
//   as it is     for a model that copies the placeholders by itself; not those of markup
//   masked       each placeholder is a word such as X1, which a model copies like a name
//   in segments  the texts between the placeholders, which stay where they are; always succeeds
// A translation with other placeholders is rejected.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/placeholders/placeholders.h"

namespace calque {

class KeptText {
 public:
  // Requires well-formed UTF-8.
  KeptText(std::string text, const PlaceholderKinds& kinds);

  const std::string& text() const { return text_; }
  bool has_placeholders() const { return !ranges_.empty(); }
  // Whether a model can read the text as it is: not the placeholders of markup.
  bool is_readable() const { return text_.find(kept_begin) == text_.npos; }
  bool accepts(std::string_view translation) const {
    return same_placeholders(text_, translation, kinds_);
  }

  std::string masked() const;
  // The translation of masked() with the placeholders again; absent if it is rejected.
  std::optional<std::string> unmasked(std::string_view translation) const;

  // The segments that have letters, without the punctuation and white space around them.
  std::vector<std::string> segments() const;
  // The text with the translations of its segments. A segment stays as it is if its translation has
  // placeholders.
  std::string joined(std::span<const std::string> translations) const;

 private:
  std::vector<TextRange> segment_ranges() const;
  std::string mask(size_t number) const { return mask_ + std::to_string(number); }

  std::string text_;
  PlaceholderKinds kinds_;
  std::vector<TextRange> ranges_;
  std::string mask_;  // X or more of it: with a number, a word that the text does not have
};

using TranslateAll = std::function<std::vector<std::string>(const std::vector<std::string>& texts)>;

// How many texts were translated in each of the ways.
struct KeptCounts {
  int64_t whole = 0, masked = 0, in_segments = 0;
};

// The translations of all texts, by at most three calls of `translate`.
std::vector<std::string> translate_keeping(std::span<const std::string> texts,
                                           const PlaceholderKinds& kinds,
                                           const TranslateAll& translate, KeptCounts& counts);

}  // namespace calque
