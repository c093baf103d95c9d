#pragma once
// Letters and digits by Unicode's general categories.

namespace calque {

enum class LetterCase { none, small, capital, other };  // other: a letter without case
LetterCase letter_case(char32_t point);
inline bool is_letter(char32_t point) { return letter_case(point) != LetterCase::none; }

bool is_digit(char32_t point);  // of any script

}  // namespace calque
