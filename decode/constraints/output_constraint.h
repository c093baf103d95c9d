#pragma once
// Restricts a generated text to a grammar: after each token, which tokens may follow, so that every
// finished text matches, and every unfinished one can be finished. The end of the text is allowed
// only where the text matches.

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/real.h"
#include "decode/constraints/automaton.h"
#include "decode/constraints/pattern.h"
#include "decode/constraints/spelled_vocabulary.h"

namespace calque {

// A grammar over the tokens of a vocabulary, for any number of texts. Thread-safe.
class OutputConstraint {
 public:
  // Throws an Error if no text matches, if the vocabulary cannot spell any that does, and for a
  // grammar that is too large.
  OutputConstraint(std::shared_ptr<const SpelledVocabulary> vocabulary, const Grammar& grammar);

  // Where a text is.
  struct Place {
    Automaton::Held state;
    bool begins_line = false;  // so that the tokenizer drops a space there
  };
  // Before the first token, after a prompt.
  Place start(std::span<const int32_t> prompt) const;
  // The place after a token that is allowed.
  Place after(const Place& place, int32_t id) const;
  // The tokens that may follow, without those that end a text.
  std::shared_ptr<const TokenMask> allowed(const Place& place) const;
  // Whether a text matches.
  bool accepts(std::string_view text) const;

  const SpelledVocabulary& vocabulary() const { return *vocabulary_; }

 private:
  TokenMask compute_mask(const Place& place) const;

  std::shared_ptr<const SpelledVocabulary> vocabulary_;
  mutable std::mutex mutex_;
  mutable Automaton automaton_;
  mutable int64_t masks_ = 0;  // that were computed since the last were forgotten
};

// A text that is being written under a constraint; without one, nothing is forbidden. A copy is
// continued on its own.
class ConstrainedText {
 public:
  ConstrainedText() = default;
  // `ends` are the tokens that end a text.
  ConstrainedText(std::shared_ptr<const OutputConstraint> constraint, std::vector<int32_t> ends,
                  std::span<const int32_t> prompt);

  bool is_constrained() const { return constraint_ != nullptr; }
  // Sets the scores of all tokens that must not follow to minus infinity.
  void forbid_tokens(std::span<real> scores) const;
  // Adds a token that was allowed.
  void append(int32_t id);
  // What an allowed token adds to the text.
  std::string_view spelling(int32_t id) const;
  // Whether the text matches, and no longer text begins with it.
  bool is_complete() const { return constraint_ && place_.state->complete; }
  // Whether a text matches.
  bool accepts(std::string_view text) const { return !constraint_ || constraint_->accepts(text); }

 private:
  bool ends_text(int32_t id) const;

  std::shared_ptr<const OutputConstraint> constraint_;
  std::vector<int32_t> ends_;
  OutputConstraint::Place place_;
};

}  // namespace calque
