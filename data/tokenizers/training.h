#pragma once
// Trains a tokenizer on texts: a SentencePiece model, or the list of the words or characters, most
// frequent first. The result is a function of the arguments alone. Bytes need no training.

#include <cstdint>
#include <string>
#include <vector>

#include "data/corpora/corpus.h"
#include "data/tokenizers/tokenizer.h"

namespace calque {

struct TokenizerTraining {
  int32_t vocabulary_size = 8000;  // with special symbols; words, characters: a maximum (0: none)
  int64_t min_count = 1;           // rarer words and characters become <unk>
  double character_coverage = 0.9995;  // SentencePiece: the share of the text in its alphabet
  bool byte_fallback = false;          // SentencePiece: spell other characters in bytes
  // For documents: learn a symbol for the line end; with characters, also for tab and carriage
  // return.
  bool newline = false;
  std::vector<std::string> symbols = {};  // SentencePiece, words: marks that are one token each
  // Symbols that stand for no text, which follow the special symbols. SentencePiece, characters:
  // no text is encoded as one.
  std::vector<std::string> marks = {};
};

Tokenizer train_tokenizer(std::vector<std::string> texts, const TokenizerOptions& options,
                          const TokenizerTraining& training);

// The texts of these columns of the corpora, of all rows or of a sample of `most` rows without
// repetition. Invalid and overlong lines are left out. For documents, see sample_documents().
std::vector<std::string> sample_texts(const std::vector<Corpus>& corpora,
                                      const std::vector<int>& columns, int64_t most, uint64_t seed);

}  // namespace calque
