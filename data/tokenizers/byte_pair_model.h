#pragma once
// Byte-level BPE, the tokenizer of GPT-2, Llama 3 and Qwen: words with the space before them
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

#include "data/text/byte_level_text.h"
#include "data/text/regex.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {

// The printable character of a space, at the beginning of a word.
inline constexpr std::string_view space_glyph = "\u0120";

class BytePairModel {
 public:
  struct Merge {
    std::string left, right;
  };

  struct Rules {
    WordRule words = WordRule::gpt2;
    bool whole_words = false;  // a word that is a token becomes that token, whatever the merges
    bool nfc = false;          // texts are normalized by NFC
    // Tokens that are found in a text before it is normalized and cut, the longest first; and
    // tokens that are never found, such as the marks of a turn in a conversation.
    std::vector<std::string> verbatim = {}, control = {};
  };

  // The merges in the order of their ranks. Throws an Error that begins with `place` if the
  // vocabulary lacks a byte, a token of a merge or a verbatim token, or if a pair is merged twice.
  BytePairModel(Vocabulary vocabulary, std::vector<Merge> merges, Rules rules,
                const std::string& place);
  // Reads a vocabulary file. After a tab, the first line has the rules, if they are not those of
  // GPT-2, and the other lines the ranks and pairs of the token's merges, `verbatim` or
  // `control`.
  static BytePairModel load(const std::string& path);
  std::string listing() const;  // the text of that file

  int32_t size() const { return vocabulary_.size(); }
  const std::string& symbol(int32_t id) const { return vocabulary_.symbol(id); }
  // What a token that is not special adds to a document (Tokenizer::spelling()).
  std::string spelling(int32_t id) const;
  std::optional<int32_t> find(std::string_view symbol) const { return vocabulary_.find(symbol); }
  const std::vector<Merge>& merges() const { return merges_; }
  const Rules& rules() const { return rules_; }
  std::optional<int32_t> newline_id() const { return std::nullopt; }

  void encode(std::string_view text, std::vector<int32_t>& out) const;
  void encode_line(std::string_view line, std::vector<int32_t>& out) const { encode(line, out); }
  // Bytes that begin no well-formed character, and <unk>, become U+FFFD.
  std::string decode(std::span<const int32_t> ids) const;
  std::string decode_document(std::span<const int32_t> ids) const { return decode(ids); }
  std::string normalize(std::string_view text) const;

 private:
  struct Made {
    int32_t rank = 0, id = 0;
  };
  void encode_words(std::string_view text, std::vector<int32_t>& out) const;
  void encode_word(std::string_view word, std::vector<int32_t>& out) const;
  // Calls plain(text) and verbatim(token) for the parts of a text, in order.
  template <class Plain, class Verbatim>
  void visit_parts(std::string_view text, Plain&& plain, Verbatim&& verbatim) const;

  Vocabulary vocabulary_;
  std::vector<Merge> merges_;
  Rules rules_;
  std::optional<Regex> verbatim_;
  std::vector<int32_t> bytes_;  // the ids of the 256 bytes
  std::map<std::pair<int32_t, int32_t>, Made> made_;
};

}  // namespace calque
