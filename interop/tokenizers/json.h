#pragma once
// tokenizer.json of the library tokenizers (Hugging Face), for all kinds of tokenizers:
//
//   SentencePiece BPE      BPE, with a merge for every split of a subword into two others
//   SentencePiece unigram  Unigram, with the same scores
//   byte-level BPE         BPE, with ByteLevel
//   WordPiece              WordPiece, with BERT's normalizer
//   words, characters      WordLevel, between white space or one character each
//   bytes                  BPE without merges, which falls back to bytes
//
// The ids are calque's, without the tokens that the engine does not get. Encoded texts have <s> and
// </s> as in training.

#include <string>

#include "data/tokenizers/tokenizer.h"
#include "interop/export_folder.h"
#include "interop/parameters/kept_tokens.h"

namespace calque {

enum class TextUse {
  continued,   // <s> text: a language model continues it
  translated,  // text </s>: the source of a translator
  classified,  // <s> a </s>, or <s> a </s> b </s> for two texts
  masked       // <s> text </s>, in which [MASK] is a token
};
std::string tokenizer_json(const Tokenizer& tokenizer, TextUse use = TextUse::continued,
                           const KeptTokens* kept = nullptr);

// Writes tokenizer.json, and tokenizer_config.json with the special symbols, the largest number of
// tokens of a text, and the chat template if there is one.
void write_tokenizer(const ExportFolder& to, const Tokenizer& tokenizer, TextUse use,
                     int64_t longest, const std::string& chat_template = "",
                     const KeptTokens* kept = nullptr);

// The merges of a BPE model as pairs of ids, in the order of their priority.
std::vector<std::pair<int32_t, int32_t>> merges_of(const SentencePieceModel& model);

// The token in the form of tokenizer.json. It differs from the symbol only if that is an escape of
// a newline, or of white space in a tokenizer of characters: the character "▁" becomes " ".
std::string token_text(const Tokenizer& tokenizer, int32_t id);

}  // namespace calque
