#pragma once
// The words of a sequence of tokens. A token that begins with the mark of a space begins a word.

#include <cstdint>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace calque {

struct TokenWords {
  std::vector<int32_t> word_of;    // the index of the word that each token belongs to
  std::vector<std::string> texts;  // of the words
};

TokenWords token_words(const Tokenizer& tokenizer, const std::vector<int32_t>& ids);

}  // namespace calque
