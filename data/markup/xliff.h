#pragma once
// XLIFF 1.2 and 2.0 as documents: a text for each unit that is not translated, which is read in its
// <source> and written into its <target>.

#include <string>
#include <string_view>

#include "data/markup/markup.h"

namespace calque {

// Untranslated are units without a target, with an empty one, or in the state new,
// needs-translation or initial; not those with translate="no". The states become
// needs-review-translation in XLIFF 1.2 and translated in 2.0. Throws an Error that names the line
// for a file that is no well-formed XML (data/formats/xml.h) or no XLIFF.
Markup read_xliff_texts(std::string_view bytes, const std::string& name);

}  // namespace calque
