#pragma once
// SentencePiece models with a separate list of the engine's tokens and ids, as in MarianMT. The row
// of a token is its id in the list, whatever its id in the SentencePiece model is.

#include <map>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"
#include "interop/parameters/filling_walk.h"

namespace calque {

// The engine's tokens with their ids.
struct ForeignTokens {
  std::map<std::string, int64_t, std::less<>> ids;
  int64_t unknown = 0, begin = 0, end = 0;  // the rows of <unk>, <s> and </s>
};
// Reads a vocab.json. Does not set `begin` and `end`. Throws an Error if the file is not valid or
// has no <unk>, if an id is not below `rows`, or if two tokens have one id.
ForeignTokens read_vocabulary_json(const std::string& path, int64_t rows);

// A tokenizer with a symbol for every token of the list and every piece of the SentencePiece model,
// if there is one. With a SentencePiece model, the token <pad> has no symbol.
struct ForeignPieces {
  Tokenizer tokenizer;
  VocabularyRows rows;
  std::vector<int32_t> unlisted;  // pieces that are not in the list: they have the row of <unk>
};

// The vocabularies of a translator; the engine's tables have `source_size` and `target_size` rows.
struct ForeignLanguages {
  std::vector<Tokenizer> tokenizers;
  ForeignVocabularies rows;
  std::vector<int32_t> unlisted;  // of the target
  bool one = false;               // source and target have the same tokens in the same rows

  ForeignLanguages(const ForeignPieces& source, const ForeignPieces& target, int64_t source_size,
                   int64_t target_size, bool same)
      : tokenizers{source.tokenizer, target.tokenizer},
        rows{source.rows, target.rows, source_size, target_size},
        unlisted(target.unlisted),
        one(same) {}
};

ForeignPieces match_pieces(const std::string& model_path, const ForeignTokens& tokens);
// Two models that share one list of tokens. Both tokenizers get the same ids.
std::vector<ForeignPieces> match_pieces(const std::string& source_path,
                                        const std::string& target_path,
                                        const ForeignTokens& tokens);
// Without a SentencePiece model, the tokens are words; `place` is for messages.
ForeignPieces words_of(const ForeignTokens& tokens, const std::string& place);

}  // namespace calque
