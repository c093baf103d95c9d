#pragma once
// Regular expressions over UTF-8 text as patterns:
//
//   .  [a-z]  [^"]  \d \w \s \D \W \S  \n \t \x41 \u00e9   characters; \d, \w and \s are ASCII's
//   ab  a|b  (a)  (?:a)  (?<name>a)                        sequences, alternatives, groups
//   a*  a+  a?  a{3}  a{2,}  a{2,5}                        repetitions; a ? after them changes
//   nothing ^  $                                                   at the ends of an alternative
//
// A dot is any character but a line end. What is more than a regular language, or depends on the
// text around it, is refused: back-references, look-around, word boundaries, possessive
// repetitions.

#include <string_view>

#include "decode/constraints/pattern.h"

namespace calque {

// The texts that match the whole expression. Throws an Error that begins with the number of the
// character at fault.
Pattern regular_expression(std::string_view expression);

// The texts that hold a match, at their beginning after ^ and at their end before $.
Pattern regular_search(std::string_view expression);

}  // namespace calque
