#pragma once
// The tokens of languages in a vocabulary, such as >>de<<: the form of OPUS-MT, which the tokenizer
// of MarianMT reads at the beginning of a text.

#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace calque {

// ">>de<<".
std::string language_token(const std::string& language);

// The languages with a token in the vocabulary, in the order of the ids.
std::vector<std::string> languages_with_token(const Tokenizer& tokenizer);

}  // namespace calque
