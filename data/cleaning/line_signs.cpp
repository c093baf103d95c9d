#include "data/cleaning/line_signs.h"

#include "data/text/regex.h"

namespace calque {
bool has_markup(std::string_view text) {
  static const Regex pattern(
      R"(</?[A-Za-z][^<>]*>|&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]+|#x[0-9A-Fa-f]+);)");
  return text.find_first_of("<&") != text.npos && pattern.find(text).has_value();
}

// The bytes C3 A4 of U+00E4 become the characters U+00C3 U+00A4; those of a typographic quote, E2
// 80 99, become U+00E2 and U+0080 or, in Windows-1252, the euro sign.
bool has_mojibake(std::string_view text) {
  static const Regex pattern(
      R"([\x{C2}\x{C3}][\x{80}-\x{BF}\x{152}\x{153}\x{160}\x{161}\x{178}\x{17D}\x{17E}\x{192}\x{2020}-\x{2022}\x{2030}\x{20AC}\x{2122}])"
      R"(|\x{E2}[\x{80}-\x{9F}\x{201A}\x{20AC}]|\x{FFFD})");
  return pattern.find(text).has_value();
}

}  // namespace calque
