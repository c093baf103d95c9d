#pragma once
// Text to ids and back: the one interface behind which SentencePiece, words and characters stand. A
// Tokenizer is a value that is cheap to copy and safe to use from several threads at once. In every
// one of them <unk>, <s> and </s> are 0, 1 and 2 (data/vocabulary.h).

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "data/sentence_piece.h"
#include "data/symbol_model.h"

namespace calque {

enum class TokenizerKind { bpe, unigram, words, characters };

struct TokenizerOptions {
  TokenizerKind kind = TokenizerKind::bpe;  // a .model file that exists brings its own algorithm
  bool lowercase = false;
  bool nfkc = true;  // SentencePiece: when trained (a .model file that exists brings its own rules)
};

class Tokenizer {
 public:
  // Words, of which it knows none.
  Tokenizer();
  Tokenizer(SymbolModel model, const TokenizerOptions& options);
  Tokenizer(SentencePieceModel model, const TokenizerOptions& options);

  // Reads a .model file (bpe, unigram) or a vocabulary file (words, characters). If `expected` is
  // given, a tokeniser with another hash is an Error: a vocabulary that is not the one that a model
  // was trained with is silent garbage.
  static Tokenizer load(const std::string& path, const TokenizerOptions& options,
                        std::optional<uint64_t> expected = std::nullopt);

  // Where save() puts what load() reads: PREFIX.model or PREFIX.vocab.
  static std::string file_name(const std::string& prefix, TokenizerKind kind);
  // Writes that file and, for SentencePiece, PREFIX.vocab beside it for people to read.
  void save(const std::string& prefix) const;

  // Appends the ids of a text, without <s> and </s>. The text must be well-formed UTF-8.
  void encode(std::string_view text, std::vector<int32_t>& out) const;
  std::vector<int32_t> encode(std::string_view text) const;

  // The text of the ids, on one line; <s> and </s> have none. An id outside the vocabulary is an
  // Error.
  std::string decode(std::span<const int32_t> ids) const;

  // What decode(encode(text)) is when the vocabulary lacks nothing.
  std::string normalize(std::string_view text) const;

  int32_t size() const;
  std::string symbol(int32_t id) const;
  const TokenizerOptions& options() const { return options_; }

  // The model of the sentencepiece kinds; nullptr for words and characters.
  const SentencePieceModel* sentence_piece() const {
    return std::get_if<SentencePieceModel>(model_.get());
  }

  // Of everything that decides which ids a text gets.
  uint64_t hash() const { return hash_; }

 private:
  TokenizerOptions options_;
  std::shared_ptr<const std::variant<SymbolModel, SentencePieceModel>> model_;
  uint64_t hash_ = 0;
};

// Lower case and NFKC as the options ask, as far as they are not left to SentencePiece.
std::string prepare_text(std::string_view text, const TokenizerOptions& options);

inline bool is_sentence_piece(TokenizerKind kind) {
  return kind == TokenizerKind::bpe || kind == TokenizerKind::unigram;
}

}  // namespace calque
