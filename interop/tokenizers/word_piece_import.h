#pragma once
// WordPiece tokenizers of transformers: tokenizer.json, or vocab.txt with one token per line.

#include <cstdint>
#include <map>
#include <string>

#include "interop/files/json.h"
#include "interop/tokenizers/json_import.h"

namespace calque {

struct ForeignWordPieces {
  std::map<int64_t, std::string> tokens;  // by id
  int64_t unknown = no_row;
  bool uncased = true;
};

// A tokenizer of the special symbols and then the other pieces, in the order of their ids. `place`
// is for messages.
Tokenizer word_piece_tokenizer(const ForeignWordPieces& pieces, const ForeignSpecials& specials,
                               const std::string& place);

// Reads tokenizer.json, or if that is missing, vocab.txt with the rules of tokenizer_config.json.
// The engine's table has `size` rows. The last of the returned rows is that of [MASK]. If [MASK] is
// optional and not a token, it gets the first row that no token has, or no_row.
enum class MaskToken { required, optional };
ForeignTokenizer read_bert_tokenizer(const std::string& folder, int64_t size, MaskToken mask);

}  // namespace calque
