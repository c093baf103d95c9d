#pragma once
// UTF-8. Well-formed text follows table 3-7 of the Unicode standard (no overlong forms, no
// surrogates, nothing above U+10FFFF) and has no NUL.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

// The offset of the first byte that begins no well-formed character or is NUL.
std::optional<size_t> find_invalid_utf8(std::string_view text);

// "not valid UTF-8 (byte 17)" or "a NUL (byte 3)", counting from 1; empty for well-formed text.
std::string utf8_problem(std::string_view text);

// Returns the code point at `at` and moves `at` past it. Requires well-formed text.
char32_t next_code_point(std::string_view text, size_t& at);

// The number of code points. Requires well-formed text.
int64_t count_code_points(std::string_view text);

// The offsets at which the characters begin, and the end of the text. Requires well-formed text.
std::vector<size_t> character_borders(std::string_view text);

// Whether `at` is between two bytes of a character.
bool is_inside_character(std::string_view text, size_t at);

void append_utf8(char32_t code_point, std::string& out);

}  // namespace calque
