#pragma once
// What the metrics need to know of characters. They are defined by what Python does, in which the
// usual implementation is written: its white space, its lower case, Unicode's general categories.
// Nothing here depends on a locale.

#include <string>
#include <string_view>
#include <vector>

namespace calque {

// The text with every byte that begins no well-formed character replaced by U+FFFD; all other
// functions of the metrics take text that went through this once.
std::string well_formed(std::string_view text);

std::u32string code_points(std::string_view text);
std::string utf8(std::u32string_view characters);

bool is_punctuation(char32_t character);  // \p{P}
bool is_symbol(char32_t character);       // \p{S}
bool is_number(char32_t character);       // \p{N}

// The bytes of the white space that starts at `at`: 0 if none does.
size_t space_length(std::string_view text, size_t at);

std::string_view without_trailing_space(std::string_view text);
std::string without_spaces(std::string_view text);

// The words between white space; they point into `text`.
void split_words(std::string_view text, std::vector<std::string_view>& words);

// Unicode's full lower case: beyond the one-to-one mappings of data/lowercase.h, the dotted capital
// I becomes two characters, and a capital sigma at the end of a word becomes a final one.
std::string full_lowercase(std::string_view text);

}  // namespace calque
