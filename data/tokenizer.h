#pragma once
// Text to ids and back: the one interface of SentencePiece, words, characters and bytes. A
// Tokenizer is a value that is cheap to copy and safe to use from several threads at once. In every
// one of them <unk>, <s> and </s> are 0, 1 and 2 (data/vocabulary.h).
//
// encode() and decode() are for single lines, encode_document() and decode_document() for texts
// whose line ends and spaces matter. What a document keeps:
//   bytes        everything
//   characters   everything but what lower case and NFKC change, characters that the vocabulary
//                lacks, and U+2581, which stands for a space
//   words        the lines; a run of white space within a line counts as one space
//   SentencePiece  the lines; within a line, what the model's normalisation keeps
// Line ends need a tokenizer that knows them: see newline_id().

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/named.h"
#include "data/byte_model.h"
#include "data/sentence_piece.h"
#include "data/symbol_model.h"

namespace calque {

enum class TokenizerKind { bpe, unigram, words, characters, bytes };
inline constexpr Named<TokenizerKind> tokenizer_kinds[] = {
    {"sentencepiece-bpe", TokenizerKind::bpe},
    {"sentencepiece-unigram", TokenizerKind::unigram},
    {"words", TokenizerKind::words},
    {"characters", TokenizerKind::characters},
    {"bytes", TokenizerKind::bytes}};

struct TokenizerOptions {
  TokenizerKind kind = TokenizerKind::bpe;  // a .model file that exists brings its own algorithm
  bool lowercase = false;
  bool nfkc = true;  // SentencePiece: when trained (a .model file that exists brings its own
                     // rules); bytes: never
};

class Tokenizer {
 public:
  // Words, of which it knows none.
  Tokenizer();
  Tokenizer(SymbolModel model, const TokenizerOptions& options);
  Tokenizer(SentencePieceModel model, const TokenizerOptions& options);
  Tokenizer(ByteModel model, const TokenizerOptions& options);

  // Reads a .model file (bpe, unigram) or a vocabulary file (words, characters, bytes). If
  // `expected` is given, a tokenizer with another hash is an Error: with a vocabulary other than
  // the one that a model was trained with, its output is silent garbage.
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

  // The id of a line end: <n> of words and characters trained with TokenizerTraining::newline, the
  // user-defined symbol of SentencePiece models trained so, the byte 10 of models that have bytes.
  // Without one, a line end in a document counts as a space.
  std::optional<int32_t> newline_id() const { return newline_; }

  // Appends the ids of a document, without <s> and </s>. With a newline_id(), those of a + "\n" + b
  // are the ids of a, that id, and the ids of b.
  void encode_document(std::string_view text, std::vector<int32_t>& out) const;
  std::vector<int32_t> encode_document(std::string_view text) const;

  // The text of the ids, with its line ends. Bytes that are not UTF-8 become U+FFFD.
  std::string decode_document(std::span<const int32_t> ids) const;

  int32_t size() const;
  std::string symbol(int32_t id) const;
  const TokenizerOptions& options() const { return options_; }

  // The model of the SentencePiece kinds; nullptr for the others.
  const SentencePieceModel* sentence_piece() const {
    return std::get_if<SentencePieceModel>(model_.get());
  }

  // Of everything that decides which ids a text gets.
  uint64_t hash() const { return hash_; }

 private:
  using Model = std::variant<SymbolModel, SentencePieceModel, ByteModel>;
  Tokenizer(Model model, const TokenizerOptions& options);
  void require_known(std::span<const int32_t> ids) const;
  void encode_line(std::string_view text, std::vector<int32_t>& out) const;

  TokenizerOptions options_;
  std::shared_ptr<const Model> model_;
  uint64_t hash_ = 0;
  std::optional<int32_t> newline_;
};

// Applies lower case and NFKC as the options ask, except what SentencePiece does itself.
std::string prepare_text(std::string_view text, const TokenizerOptions& options);

inline bool is_sentence_piece(TokenizerKind kind) {
  return kind == TokenizerKind::bpe || kind == TokenizerKind::unigram;
}

}  // namespace calque
