#pragma once
// Reads tokenizer.json of the library tokenizers (Hugging Face) if calque has a tokenizer that
// splits every text into the same tokens:
//
//   BPE, Unigram     a SentencePiece model; the merges of BPE must be all that its pieces allow
//   BPE, ByteLevel   byte-level BPE that splits a text into words as GPT-2 does
//   WordPiece        WordPiece with BERT's normalizer
//   WordLevel        words or characters
//   BPE of 256 bytes bytes

#include <string>

#include "data/tokenizers/tokenizer.h"
#include "interop/parameters/filling_walk.h"

namespace calque {

// A tokenizer, and the engine's row for each of its ids: no_row for a special symbol that the
// engine does not have.
struct ForeignTokenizer {
  Tokenizer tokenizer;
  VocabularyRows rows;
  bool begins_texts = false;  // the engine puts <s> before a text
};

// The engine's ids of <s>, </s> and [MASK], or no_row; its tables have `size` rows.
struct ForeignSpecials {
  int64_t begin = no_row, end = no_row;
  int64_t size = 0;
  int64_t mask = no_row;  // [MASK] does not become a token of the tokenizer
};
// Throws an Error for a tokenizer that calque cannot represent.
ForeignTokenizer read_tokenizer_json(const std::string& path, const ForeignSpecials& specials);

}  // namespace calque
