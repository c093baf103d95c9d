#pragma once
// The writing systems of Unicode's blocks, as far as texts are told apart by them.

#include <string_view>

namespace calque {

// "Latin", "Cyrillic", ...; "Han or Kana" for Chinese and Japanese. Empty for digits, punctuation
// and rare scripts.
std::string_view script_of(char32_t code_point);

// The script of most letters of the text; empty without letters. Requires well-formed UTF-8.
std::string_view main_script(std::string_view text);

}  // namespace calque
