#pragma once
// Text to ids and back, by SentencePiece, WordPiece, byte-level BPE, words, characters or bytes. A
// Tokenizer is cheap to copy and thread-safe. The ids of <unk>, <s> and </s> are 0, 1 and 2 in all
// of them (data/tokenizers/vocabulary.h).
//
// encode() and decode() are for single lines, encode_document() and decode_document() for texts
// with line ends. Apart from lower case, NFKC and symbols that the vocabulary lacks,
// decode_document(encode_document(text)) preserves
//   bytes          everything; byte-level BPE does so too
//   characters     everything but U+2581, which becomes a space
//   words          the lines; a run of white space within a line becomes one space
//   SentencePiece  the lines; within a line, what the model's normalization preserves
//   WordPiece      the words; uncased models change their letters
// Except in byte-level BPE, line ends are preserved only if the tokenizer has a newline_id().

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/named.h"
#include "data/tokenizers/byte_model.h"
#include "data/tokenizers/byte_pair_model.h"
#include "data/tokenizers/sentence_piece.h"
#include "data/tokenizers/symbol_model.h"
#include "data/tokenizers/word_piece.h"

namespace calque {

enum class TokenizerKind { bpe, unigram, word_piece, byte_pairs, words, characters, bytes };
inline constexpr Named<TokenizerKind> tokenizer_kinds[] = {
    {"sentencepiece-bpe", TokenizerKind::bpe},
    {"sentencepiece-unigram", TokenizerKind::unigram},
    {"wordpiece", TokenizerKind::word_piece},
    {"byte-level-bpe", TokenizerKind::byte_pairs},
    {"words", TokenizerKind::words},
    {"characters", TokenizerKind::characters},
    {"bytes", TokenizerKind::bytes}};

struct TokenizerOptions {
  TokenizerKind kind = TokenizerKind::bpe;  // a loaded .model file defines its own algorithm
  bool lowercase = false;  // WordPiece: the model is uncased, by the rules of data/text/bert_text.h
  // Whether text is normalized by NFKC. SentencePiece applies this setting in training; a loaded
  // .model file has its own rules. Bytes, byte-level BPE and WordPiece ignore the setting.
  bool nfkc = true;
};

class Tokenizer {
 public:
  using Model =
      std::variant<SymbolModel, SentencePieceModel, WordPieceModel, BytePairModel, ByteModel>;

  // A tokenizer of words with an empty vocabulary.
  Tokenizer();
  Tokenizer(Model model, const TokenizerOptions& options);

  // Reads a .model file (bpe, unigram) or a vocabulary file (the other kinds).
  static Tokenizer load(const std::string& path, const TokenizerOptions& options);

  // The file that save() writes and load() reads: PREFIX.model or PREFIX.vocab.
  static std::string file_name(const std::string& prefix, TokenizerKind kind);
  // Writes that file and, for SentencePiece, a readable PREFIX.vocab.
  void save(const std::string& prefix) const;

  // Appends the ids of a text, without <s> and </s>. The text must be well-formed UTF-8.
  void encode(std::string_view text, std::vector<int32_t>& out) const;
  std::vector<int32_t> encode(std::string_view text) const;

  // The text of the ids without <s> and </s>, on one line. Throws an Error for an id that is not
  // below size().
  std::string decode(std::span<const int32_t> ids) const;

  // What decode(encode(text)) returns if the vocabulary lacks no symbol of the text.
  std::string normalize(std::string_view text) const;

  // The id of a line end, if the tokenizer has one: a symbol learned with
  // TokenizerTraining::newline, or the byte 10. Without it, encode_document() treats a line end as
  // a space, except in byte-level BPE, whose tokens hold line ends.
  std::optional<int32_t> newline_id() const { return newline_; }

  // Whether the ids of a + "\n" + b are the ids of a, newline_id(), and the ids of b: not in
  // byte-level BPE and other models with tokens of several line ends.
  bool divides_at_line_ends() const {
    return newline_ && !(sentence_piece() && sentence_piece()->joins_line_ends());
  }

  // Appends the ids of a document, without <s> and </s>.
  void encode_document(std::string_view text, std::vector<int32_t>& out) const;
  std::vector<int32_t> encode_document(std::string_view text) const;

  // The text of the ids, with its line ends. Bytes that are not UTF-8 become U+FFFD.
  std::string decode_document(std::span<const int32_t> ids) const;

  int32_t size() const;
  std::string symbol(int32_t id) const;
  // The id of the symbol, looked for among all of them; nothing if there is none.
  std::optional<int32_t> find(std::string_view symbol) const;
  // The bytes that a token adds to a document after other tokens of its line, apart from the space
  // between words. Empty for special tokens, and for control tokens, which are no text.
  std::string spelling(int32_t id) const;
  const TokenizerOptions& options() const { return options_; }

  // The model of the SentencePiece kinds; nullptr for the others.
  const SentencePieceModel* sentence_piece() const {
    return std::get_if<SentencePieceModel>(model_.get());
  }
  const BytePairModel* byte_pairs() const { return std::get_if<BytePairModel>(model_.get()); }

  // A hash of everything that decides the ids of a text.
  uint64_t hash() const { return hash_; }

 private:
  void require_known(std::span<const int32_t> ids) const;
  void encode_line(std::string_view text, std::vector<int32_t>& out) const;

  TokenizerOptions options_;
  std::shared_ptr<const Model> model_;
  uint64_t hash_ = 0;
  std::optional<int32_t> newline_;
};

// Applies lower case and NFKC as the options say. WordPiece is left unchanged. Bytes and byte-level
// BPE get no NFKC; SentencePiece gets it only before lower case.
std::string prepare_text(std::string_view text, const TokenizerOptions& options);

inline bool is_sentence_piece(TokenizerKind kind) {
  return kind == TokenizerKind::bpe || kind == TokenizerKind::unigram;
}

}  // namespace calque
