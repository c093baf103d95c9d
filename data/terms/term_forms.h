#pragma once
// Terms in texts, in the form of a glossary or inflected. Case is ignored. There is no dictionary
// of any language: a form of a word begins with the same letters, accents apart, and ends
// otherwise.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/text_range.h"

namespace calque {

// Häuser is a form of Haus, and roten of rot: at least three letters and half of the longer word
// are equal, and at most three letters of both together differ. Requires well-formed UTF-8.
bool is_form_of(std::string_view word, std::string_view other);

// The words and signs of a text in lower case, to find terms in.
struct TermText {
  explicit TermText(std::string_view text);

  std::vector<TextRange> ranges;
  std::vector<std::string> words;
};

// Whether the words of a term occur in a row, exactly or else with a form of each of them.
enum class TermMatch { none, form, exact };
TermMatch match_term(const TermText& text, std::string_view term);
// Where they do.
std::optional<TextRange> find_term(const TermText& text, std::string_view term);

}  // namespace calque
