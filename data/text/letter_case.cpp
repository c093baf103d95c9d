#include "data/text/letter_case.h"

#include <utf8proc.h>

namespace calque {

LetterCase letter_case(char32_t point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
      return LetterCase::capital;
    case UTF8PROC_CATEGORY_LL:
      return LetterCase::small;
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_LM:
      return LetterCase::other;
    default:
      return LetterCase::none;
  }
}

bool is_digit(char32_t point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(point)) == UTF8PROC_CATEGORY_ND;
}

}  // namespace calque
