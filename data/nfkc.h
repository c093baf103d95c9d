#pragma once
// Unicode normalization form KC: "fi" for the ligature, "2" for a superscript two, one code point
// for a letter and its accent. SentencePiece has the tables. Text that they cannot change (all of
// ASCII, nearly all of German and French) is returned unchanged.

#include <string>
#include <string_view>

namespace calque {

// Requires well-formed UTF-8.
std::string nfkc(std::string_view text);

}  // namespace calque
