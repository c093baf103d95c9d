#pragma once
// Terms marked in a source, so that a model reads which translation it has to use (Dinu et al.
// 2019):
//
//   the <term> cow <as> Kuh </term> sleeps
//
// A tokenizer that a run trains with data.glossary has each mark as one token.

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "data/text/text_range.h"

namespace calque {

inline constexpr std::string_view term_begin = "<term>", term_target = "<as>", term_end = "</term>";
inline constexpr std::array term_marks = {term_begin, term_target, term_end};

struct TermMark {
  TextRange range;  // of the term in the source
  std::string target;
};

// The text with marks, which are in their order and do not overlap.
std::string with_term_marks(std::string_view text, std::span<const TermMark> marks);
// The text before with_term_marks().
std::string without_term_marks(std::string_view text);

}  // namespace calque
