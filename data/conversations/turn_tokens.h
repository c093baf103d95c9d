#pragma once
// Conversations as ids. A marker that is a token of the vocabulary, a control token or any other,
// becomes that token; else its text is encoded. Text between markers is encoded by itself, so what
// a user writes becomes a control token only if the tokenizer finds that token in every text. The
// answer of an assistant is encoded apart from what precedes it, as it is when a model writes it.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/conversations/turns.h"
#include "data/tokenizers/tokenizer.h"

namespace calque {

class TurnTokens {
 public:
  TurnTokens(const Tokenizer& tokenizer, const TurnOptions& options);

  struct Encoded {
    std::vector<int32_t> ids;  // with <s>, if the format has one
    // How many ids in a row are not answers, how many are, and so on in turn.
    std::vector<int32_t> runs;
  };
  // See turn_pieces().
  Encoded encode(const Conversation& conversation, bool open) const;

  // The tokens that end an answer: </s>, and the marker of the format if it is a token.
  std::vector<int32_t> ends() const;
  // The texts that end an answer if they are not tokens.
  std::vector<std::string> end_texts() const;

  const TurnOptions& options() const { return options_; }

 private:
  // The id of a marker, or -1.
  int32_t id_of(const TurnPiece& piece) const;

  Tokenizer tokenizer_;
  TurnOptions options_;
  std::map<std::string, int32_t, std::less<>> markers_;  // those that are tokens
};

}  // namespace calque
