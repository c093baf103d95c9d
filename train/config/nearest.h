#pragma once
// What did they mean? The known word nearest to an unknown one, by the number of letters to insert,
// remove, replace or swap (Damerau and Levenshtein), blind to case, hyphens and underscores.

#include <string>
#include <string_view>
#include <vector>

namespace calque {

// Lower-case, without '-', '_', '.' and spaces: "learn-rate" and "learn_rate" are one word.
std::string bare_word(std::string_view word);

int edit_distance(std::string_view a, std::string_view b);

// Empty when none of `known` is near enough to be meant.
std::string nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace calque
