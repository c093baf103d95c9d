#pragma once
// Properties of characters for the metrics, as Python defines them, because sacreBLEU is written in
// Python: white space, lower case, and Unicode's general categories. Nothing depends on the locale.

#include <string>
#include <string_view>
#include <vector>

namespace calque {

// Replaces every byte that is not part of a well-formed character with U+FFFD. The other functions
// of the metrics require well-formed text.
std::string well_formed(std::string_view text);

std::u32string code_points(std::string_view text);
std::string utf8(std::u32string_view characters);

// These follow the tables of the installed utf8proc, as sacreBLEU follows those of its own Python.
bool is_punctuation(char32_t character);  // \p{P}
bool is_symbol(char32_t character);       // \p{S}
bool is_number(char32_t character);       // \p{N}

// The length in bytes of the white space character at `at`; 0 if there is none.
size_t space_length(std::string_view text, size_t at);

std::string_view without_trailing_space(std::string_view text);
std::string without_spaces(std::string_view text);

// The words between white space; they point into `text`.
void split_words(std::string_view text, std::vector<std::string_view>& words);

// Unicode's full lower case: beyond the one-to-one mappings of data/text/lowercase.h, the dotted
// capital I becomes two characters, and a capital sigma at the end of a word becomes a final one.
std::string full_lowercase(std::string_view text);

}  // namespace calque
