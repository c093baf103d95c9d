#pragma once
// SentencePiece models (BPE, unigram and the library's other kinds) with the special symbols at ids
// 0, 1 and 2. A model that numbers them otherwise, or has a padding symbol, is renumbered on
// loading; the other pieces keep their order.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace calque {

class SentencePieceModel {
 public:
  // From the bytes of a .model file; `name` is for error messages.
  SentencePieceModel(std::string bytes, const std::string& name);

  int32_t size() const { return static_cast<int32_t>(to_model_.size()); }
  // The text of a piece. A special symbol has its usual text, or the model's if another piece has
  // the usual one.
  std::string piece(int32_t id) const;
  // piece(), with a line end written as newline_symbol.
  std::string symbol(int32_t id) const;
  // What a token that is not special adds to a document (Tokenizer::spelling()).
  std::string spelling(int32_t id) const;
  float score(int32_t id) const;
  // The piece's id in the .model file, or -1 for a special symbol that the model lacks; and the
  // number of ids in that file.
  int32_t model_id(int32_t id) const { return to_model_[id]; }
  int32_t model_size() const { return static_cast<int32_t>(from_model_.size()); }

  void encode(std::string_view text, std::vector<int32_t>& out) const;
  void encode_line(std::string_view line, std::vector<int32_t>& out) const { encode(line, out); }
  // Requires ids below size(). <s> and </s> have no text.
  std::string decode(std::span<const int32_t> ids) const;
  std::string decode_document(std::span<const int32_t> ids) const;
  std::string normalize(std::string_view text) const;

  // Whether encoding merges pieces, in the order of falling scores.
  bool is_bpe() const { return bpe_; }
  // Whether training found the piece: it is not special, byte, user-defined or unused.
  bool is_found(int32_t id) const { return found_[id]; }
  // Whether encoding never returns the piece, such as the marks of a turn in a conversation.
  bool is_control(int32_t id) const;
  // Whether the piece is found in a text before anything else.
  bool is_user_defined(int32_t id) const;

  // The id of the line end: the piece "\n" or the byte 10, if the model has one.
  std::optional<int32_t> newline_id() const;
  // Whether a piece holds several line ends, as in Gemma.
  bool joins_line_ends() const;

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::shared_ptr<const sentencepiece::SentencePieceProcessor> processor_;
  std::vector<int32_t> to_model_, from_model_;
  bool bpe_ = false;
  std::vector<bool> found_;
};

struct SentencePieceTraining {
  bool unigram = false;  // false: BPE
  bool nfkc = true;
  int32_t vocabulary_size = 8000;
  double character_coverage = 0.9995;     // rarer characters become <unk>
  bool byte_fallback = false;             // true: rarer characters are spelled in bytes instead
  bool newline = false;                   // the line end becomes a piece
  std::vector<std::string> symbols = {};  // these become pieces, found before anything else
  std::vector<std::string> marks = {};    // control pieces: no text is encoded as one
};

// The bytes of a model trained on the texts, a function of the arguments alone.
std::string train_sentence_piece(std::span<const std::string> texts, const SentencePieceTraining&);

}  // namespace calque
