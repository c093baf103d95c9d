#pragma once
// Byte-level BPE, the tokenizer of GPT-2: words with the space before them
// (data/text/byte_level_text.h) are cut into bytes, and pairs of tokens are merged in the order of
// their ranks. A symbol writes each byte as a printable character (data/text/byte_glyphs.h). The
// tokenizer is imported with a model; calque does not train it. It encodes every text, line ends
// included.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/tokenizers/vocabulary.h"

namespace calque {

// The printable character of a space, at the beginning of a word.
inline constexpr std::string_view space_glyph = "\u0120";

class BytePairModel {
 public:
  struct Merge {
    std::string left, right;
  };

  // The merges in the order of their ranks. Throws an Error that begins with `place` if the
  // vocabulary lacks a byte or a token of a merge, or if a pair is merged twice.
  BytePairModel(Vocabulary vocabulary, std::vector<Merge> merges, const std::string& place);
  // Reads a vocabulary file. The ranks and pairs of a token's merges follow its symbol, after a
  // tab.
  static BytePairModel load(const std::string& path);
  std::string listing() const;  // the text of that file

  int32_t size() const { return vocabulary_.size(); }
  const std::string& symbol(int32_t id) const { return vocabulary_.symbol(id); }
  const std::vector<Merge>& merges() const { return merges_; }
  std::optional<int32_t> newline_id() const { return std::nullopt; }

  void encode(std::string_view text, std::vector<int32_t>& out) const;
  void encode_line(std::string_view line, std::vector<int32_t>& out) const { encode(line, out); }
  // Bytes that begin no well-formed character, and <unk>, become U+FFFD.
  std::string decode(std::span<const int32_t> ids) const;
  std::string decode_document(std::span<const int32_t> ids) const { return decode(ids); }
  std::string normalize(std::string_view text) const { return std::string(text); }

 private:
  struct Made {
    int32_t rank = 0, id = 0;
  };
  void encode_word(std::string_view word, std::vector<int32_t>& out) const;

  Vocabulary vocabulary_;
  std::vector<Merge> merges_;
  std::vector<int32_t> bytes_;  // the ids of the 256 bytes
  std::map<std::pair<int32_t, int32_t>, Made> made_;
};

}  // namespace calque
