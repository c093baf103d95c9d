#pragma once
// Unicode normalization form KC: "fi" for the ligature, "2" for a superscript two, one code point
// for a letter and its accent. SentencePiece has the tables, which its models use too: those of
// utf8proc know more characters and sort combining marks. It is not called for texts of
// characters up to U+017F that NFKC does not change (all of ASCII, most of German and French).

#include <string>
#include <string_view>

namespace calque {

// Requires well-formed UTF-8.
std::string nfkc(std::string_view text);

}  // namespace calque
