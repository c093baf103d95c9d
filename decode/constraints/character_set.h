#pragma once
// Sets of characters as sorted ranges of code points: union, difference and intersection.

#include <string_view>

#include "data/text/code_points.h"

namespace calque {

// Every character that a text may hold: no NUL and no surrogates.
const CodePointSet& all_characters();
CodePointSet united(CodePointSet a, const CodePointSet& b);
CodePointSet common_to(const CodePointSet& a, const CodePointSet& b);
CodePointSet without(const CodePointSet& a, const CodePointSet& b);
// The characters of a text, which must be well-formed UTF-8.
CodePointSet characters_of(std::string_view text);

}  // namespace calque
