#pragma once
// The shipped grammars, and all derivations of a category.

#include <map>
#include <string>
#include <vector>

#include "data/toy/derivation.h"
#include "data/toy/grammar.h"

namespace calque {

// The text of data/toy/NAME, such as "en-de.grammar".
std::string grammar_text(const std::string& name);
// The same, parsed.
const Grammar& shipped_grammar(const std::string& name);

// The features with these values, such as {"acc", "sg"}.
Features features_named(const Grammar& grammar, const std::vector<std::string>& values);

// Tree number `index` of a category, for categories small enough to count.
Derivation nth_derivation(const Grammar& grammar, int32_t category, uint64_t index);

// The target text of each source text of a category of a shipped grammar, where the context has the
// features `values`.
const std::map<std::string, std::string>& all_pairs(const Grammar& grammar,
                                                    const std::string& category,
                                                    const std::vector<std::string>& values = {});

// 1 to 9999 in English, without a grammar: "two thousand and five".
std::string english_number(int number);

}  // namespace calque
