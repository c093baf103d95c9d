#pragma once
// Trains a tokenizer on texts: a SentencePiece model, or the list of the words or characters that
// occur, most frequent first. The same texts and options give the same tokenizer on any machine.
// Bytes learn nothing.

#include <cstdint>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/tokenizer.h"

namespace calque {

struct TokenizerTraining {
  int32_t vocabulary_size =
      8000;               // with the special symbols; words and characters: at most, 0 = all
  int64_t min_count = 1;  // words and characters that are rarer become <unk>
  double character_coverage = 0.9995;  // SentencePiece: the share of the text its alphabet covers
  bool byte_fallback = false;          // SentencePiece: spell other characters in bytes
  bool newline = false;  // the texts are documents: learn a symbol for the line end, and for
                         // characters also tabs and carriage returns
};

Tokenizer train_tokenizer(std::vector<std::string> texts, const TokenizerOptions& options,
                          const TokenizerTraining& training);

// The texts of these columns of the corpora, row by row: all, or a sample without repetition of
// `most` rows if they are more. Broken and overlong lines are left out. Two tokenizers are trained
// from one column each; a joint one from both. Documents: sample_documents() (data/documents.h).
std::vector<std::string> sample_texts(const std::vector<Corpus>& corpora,
                                      const std::vector<int>& columns, int64_t most, uint64_t seed);

}  // namespace calque
