#pragma once
// Phrases that a translation must have, as lists of tokens. A beam search keeps hypotheses with
// every number of required tokens (Post and Vilar 2018), and none ends before it has all phrases.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/real.h"
#include "data/tokenizers/tokenizer.h"

namespace calque {

// Where words begin and end in a list of tokens.
class WordBorders {
 public:
  explicit WordBorders(const Tokenizer& tokenizer);
  // Borders of these tokens: whether their texts begin and end with a letter or a digit.
  WordBorders(std::vector<bool> begins_inside, std::vector<bool> ends_inside)
      : begins_inside_(std::move(begins_inside)), ends_inside_(std::move(ends_inside)) {}

  // Whether a word may continue from one token to the next.
  bool is_inside(int32_t token, int32_t next) const {
    return ends_inside_[token] && begins_inside_[next];
  }
  // Sets the scores of the tokens that continue the word of `token` to minus infinity.
  void forbid_inside(int32_t token, std::span<real> scores) const;

 private:
  std::vector<bool> begins_inside_, ends_inside_;
};

// One of the forms must occur, as whole words.
struct RequiredPhrase {
  std::vector<std::vector<int32_t>> forms;
};

class RequiredPhrases {
 public:
  // Each phrase needs a form, and each form a token.
  RequiredPhrases(std::vector<RequiredPhrase> phrases, std::shared_ptr<const WordBorders> borders);

  int64_t tokens() const { return tokens_; }  // of the longest forms

  struct Progress {
    int64_t tokens = 0;        // of the phrases that are written, and of the one being written
    bool complete = false;     // all are written
    bool ends_phrase = false;  // the last token ends one
    std::vector<int32_t> next = {};  // the tokens that begin or continue a phrase
  };
  Progress progress(std::span<const int32_t> written) const;

  // Sets the scores of the tokens that must not follow to minus infinity.
  void forbid_tokens(const Progress& progress, std::span<const int32_t> written,
                     std::span<real> scores) const;

 private:
  bool is_border(std::span<const int32_t> written, size_t at) const;
  size_t match(std::span<const int32_t> written, size_t at, const RequiredPhrase& phrase) const;
  void begin_or_continue(std::span<const int32_t> written, const std::vector<bool>& met,
                         Progress& progress) const;

  std::vector<RequiredPhrase> phrases_;  // those with the longest forms first
  std::vector<int64_t> lengths_;         // of their longest forms
  std::shared_ptr<const WordBorders> borders_;
  int64_t tokens_ = 0;
};

}  // namespace calque
