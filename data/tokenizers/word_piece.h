#pragma once
// WordPiece, BERT's tokenizer: each word (data/text/bert_text.h) is cut into the longest pieces of
// the vocabulary, from left to right. A piece that continues a word begins with ##. A word that
// pieces do not cover, or of more than 100 characters, becomes one <unk>.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/vocabulary.h"

namespace calque {

inline constexpr std::string_view continuation_mark = "##";

struct WordPieceModel {
  static constexpr size_t longest_word = 100;

  Vocabulary vocabulary;
  bool uncased = true;

  int32_t size() const { return vocabulary.size(); }
  const std::string& symbol(int32_t id) const { return vocabulary.symbol(id); }
  std::string spelling(int32_t id) const {
    const std::string& own = symbol(id);
    return own.starts_with(continuation_mark) ? own.substr(continuation_mark.size()) : own;
  }
  std::optional<int32_t> newline_id() const { return std::nullopt; }

  void encode(std::string_view text, std::vector<int32_t>& out) const;
  void encode_line(std::string_view line, std::vector<int32_t>& out) const { encode(line, out); }
  std::string decode(std::span<const int32_t> ids) const;
  std::string decode_document(std::span<const int32_t> ids) const { return decode(ids); }
  // The words, with spaces between them.
  std::string normalize(std::string_view text) const;
};

}  // namespace calque
