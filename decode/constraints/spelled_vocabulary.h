#pragma once
// The tokens of a vocabulary by the bytes that they add to a text, as a tree of their beginnings.
// Special and control tokens add nothing and are left out.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/code_points.h"
#include "data/tokenizers/tokenizer.h"

namespace calque {

class SpelledVocabulary {
 public:
  // Throws an Error for a tokenizer of words, which adds spaces between tokens.
  explicit SpelledVocabulary(const Tokenizer& tokenizer);
  // Tokens with these spellings; `line_end` begins a new line, at whose beginning a token's first
  // space is dropped.
  explicit SpelledVocabulary(std::vector<std::string> spellings,
                             std::optional<int32_t> line_end = {});

  // A beginning of tokens, in the order of a walk that visits a beginning before those that
  // continue it.
  struct Node {
    uint32_t after;   // the next node that does not continue this one
    uint32_t tokens;  // the first of its tokens in token_order(); the next node has the end
    uint16_t depth;   // in bytes
    uint8_t byte;     // the last one
  };
  // The last node ends the tokens of the one before it and is none itself.
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<int32_t>& token_order() const { return order_; }
  size_t longest() const { return longest_; }  // token, in bytes

  int32_t size() const { return static_cast<int32_t>(spellings_.size()); }
  // What a token adds to a text, at the beginning of a line or elsewhere.
  std::string_view spelling(int32_t id, bool begins_line) const;
  // Whether a token begins a line after whose beginning spaces are dropped.
  bool begins_line(int32_t id) const { return line_end_ == id; }
  // Whether a text after these tokens is at the beginning of such a line.
  bool is_at_line_begin(std::span<const int32_t> ids) const;

  // The characters that tokens spell alone, or bytes that are tokens together. A text of them can
  // be continued after any of its characters, and inside them if a token ends there.
  const CodePointSet& characters() const { return characters_; }

 private:
  void find_characters();
  void build_tree();

  std::vector<std::string> spellings_;
  bool drops_first_space_ = false;  // at the beginning of a text
  std::optional<int32_t> line_end_;
  CodePointSet characters_;
  std::vector<Node> nodes_;
  std::vector<int32_t> order_;
  size_t longest_ = 0;
};

}  // namespace calque
