#pragma once
// SentencePiece models beside a list of tokens with the ids of the engine, as in MarianMT: a token
// has the row of its id, whatever the SentencePiece model numbers it.

#include <map>
#include <string>
#include <vector>

#include "data/tokenizer.h"
#include "interop/filling_walk.h"

namespace calque {

// vocab.json: the id of each token, below `rows`. Throws an Error if the file is anything else, or
// gives an id twice.
struct ForeignTokens {
  std::map<std::string, int64_t, std::less<>> ids;
  int64_t unknown = 0, begin = 0, end = 0;  // the rows of <unk>, <s> and </s>
};
ForeignTokens read_vocabulary_json(const std::string& path, int64_t rows);

// A tokenizer with a symbol for every token, and for every piece of the SentencePiece model.
struct ForeignPieces {
  Tokenizer tokenizer;
  VocabularyRows rows;
  std::vector<int32_t> unlisted;  // pieces that are no token: they have the row of <unk>
};
ForeignPieces match_pieces(const std::string& model_path, const ForeignTokens& tokens);
// Two models with one list of tokens, which get the same ids.
std::vector<ForeignPieces> match_pieces(const std::string& source_path,
                                        const std::string& target_path,
                                        const ForeignTokens& tokens);
// Without a SentencePiece model, the tokens are words; `place` is for messages.
ForeignPieces words_of(const ForeignTokens& tokens, const std::string& place);

}  // namespace calque
