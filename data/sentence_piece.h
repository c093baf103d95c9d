#pragma once
// SentencePiece models (BPE, unigram and the library's other kinds) behind the ids that calque uses
// everywhere: a model whose special symbols have other ids, or that has a padding symbol, is
// renumbered as it is loaded, and the other pieces keep their order.

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
  std::string piece(int32_t id) const;
  float score(int32_t id) const;

  void encode(std::string_view text, std::vector<int32_t>& out) const;
  // The ids must be below size(); special symbols other than <unk> have no text.
  std::string decode(std::span<const int32_t> ids) const;
  std::string normalize(std::string_view text) const;

  // Whether its pieces come about by merges, in the order of their scores.
  bool is_bpe() const { return bpe_; }
  // Whether the algorithm has found the piece: no special symbol, byte, or symbol of a user.
  bool is_found(int32_t id) const { return found_[static_cast<size_t>(id)]; }

  // The id of the line end: a piece "\n" or the byte 10, if the model has one.
  std::optional<int32_t> newline_id() const;

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::shared_ptr<const sentencepiece::SentencePieceProcessor> processor_;
  std::vector<int32_t> to_model_, from_model_;
  bool bpe_ = false;
  std::vector<bool> found_;
};

struct SentencePieceTraining {
  bool unigram = false;  // or BPE
  bool nfkc = true;
  int32_t vocabulary_size = 8000;
  double character_coverage = 0.9995;  // rarer characters become <unk>
  bool byte_fallback = false;          // or are spelt in bytes
  bool newline = false;                // the line end becomes a piece of its own
};

// The bytes of a model trained on the texts: the same ones for the same texts and options.
std::string train_sentence_piece(std::vector<std::string> texts, const SentencePieceTraining&);

}  // namespace calque
