#pragma once
// Writes a file with markup again, with translations in place of its texts.

#include <span>
#include <string>
#include <string_view>

#include "data/markup/markup.h"

namespace calque {

// The texts of `markup` must ascend by their ranges, a text before those in its tags. `language` is
// the code of the translations; empty: unknown.
std::string written_markup(std::string_view file, std::string_view line_end, const Markup& markup,
                           std::span<const MarkedText> translations, std::string_view language);

}  // namespace calque
