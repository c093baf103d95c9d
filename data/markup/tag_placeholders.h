#pragma once
// The other way to translate a text with tags, for a model that does not align words: the tags are
// placeholders of the sentence (PlaceholderKinds::markup), which keep their order.

#include <string>

#include "data/markup/marked_text.h"

namespace calque {

std::string with_tag_placeholders(const MarkedText& text);

// The translation of a text with placeholders, which has them all in their order.
MarkedText without_tag_placeholders(std::string_view translation, const MarkedText& source);

}  // namespace calque
