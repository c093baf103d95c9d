#pragma once
// The tokenizer.json of byte-level BPE: the rules by which published models cut words, read and
// written.

#include <functional>
#include <nlohmann/json.hpp>

#include "data/tokenizers/tokenizer.h"
#include "interop/tokenizers/file.h"

namespace calque {

// Adds a token of byte-level BPE, which must not be empty. Returns false for one that the file of a
// vocabulary cannot hold or that is there already.
bool add_token(Vocabulary& to, const std::string& text);

bool is_byte_level(const TokenizerFile& file);

// The library finds special tokens in a text; the tokenizer of calque never encodes to them.
// `is_symbol` tells the ids of <unk>, <s> and </s>. Throws an Error for rules that calque does not
// have.
Tokenizer byte_level_tokenizer(const TokenizerFile& file,
                               const std::function<bool(int64_t)>& is_symbol);

// The "pre_tokenizer" of a rule.
nlohmann::ordered_json byte_level_split(WordRule rule);

}  // namespace calque
