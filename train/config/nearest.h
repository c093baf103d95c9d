#pragma once
// The known word nearest to an unknown one, by the number of letters to insert, remove, replace or
// swap (Damerau-Levenshtein distance). Case, '-', '_', '.' and spaces are ignored.

#include <string>
#include <string_view>
#include <vector>

namespace calque {

// Lower-case, without '-', '_', '.' and spaces: "learn-rate" and "learn_rate" are one word.
std::string bare_word(std::string_view word);

int edit_distance(std::string_view a, std::string_view b);

// Empty when none of `known` is near enough.
std::string nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace calque
