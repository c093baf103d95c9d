#pragma once
// WordPiece tokenizers of transformers: tokenizer.json, or vocab.txt with one token a line.

#include <cstdint>
#include <map>
#include <string>

#include "interop/foreign_json.h"
#include "interop/tokenizer_json_import.h"

namespace calque {

struct ForeignWordPieces {
  std::map<int64_t, std::string> tokens;  // by id
  int64_t unknown = no_row;
  bool uncased = true;
};

// The pieces behind the special symbols, in the order of their ids. `place` is for messages.
Tokenizer word_piece_tokenizer(const ForeignWordPieces& pieces, const ForeignSpecials& specials,
                               const std::string& place);

// Reads tokenizer.json, or vocab.txt and the rules of tokenizer_config.json, if that is all there
// is. Of `size` rows. The last of the rows is that of [MASK]. Unless it is required, it may be no
// token: then it has the first row that no token has, if there is one.
enum class MaskToken { required, optional };
ForeignTokenizer read_bert_tokenizer(const std::string& folder, int64_t size, MaskToken mask);

}  // namespace calque
