#pragma once
// `toy-analogies`: generated English lines whose words differ in a few properties, so that word2vec
// learns analogies from them in seconds. A line has two statements about a man or a woman of some
// rank, or about a country or its capital. Each statement also has things of that rank or country,
// and words for men or women, or for countries or cities.
//
//   the king lost his crown near the throne . he said the king with his sceptre sold the kingdom
//   the city of paris has perfume and bridges and berets . paris trams love the city champagne ...

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/toy/toy.h"

namespace calque {

// `count` distinct lines of a split, in random order, as for toy_text().
std::vector<std::string> toy_analogies(Split split, int64_t count, uint64_t seed);

// "a is to b as c is to d": all pairs of ranks by gender, and of countries by capital.
std::vector<std::array<std::string_view, 4>> toy_analogy_questions();

}  // namespace calque
