#pragma once
// Unicode normalisation form KC ("fi" for the ligature, "2" for a superscript two, one code point
// for a letter and its accent), so that what looks the same becomes the same token. The tables are
// those that SentencePiece carries; text that needs none of them (all of ASCII, nearly all of
// German and French) is recognised and returned as it is.

#include <string>
#include <string_view>

namespace calque {

// The text must be well-formed UTF-8.
std::string nfkc(std::string_view text);

}  // namespace calque
