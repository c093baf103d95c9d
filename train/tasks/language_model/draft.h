#pragma once
// A text that is being generated: its tokens, what they spell, and why it ended. Under a constraint
// it is what the constraint says that its tokens spell; otherwise what the tokenizer decodes.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/constraints/output_constraint.h"
#include "train/tasks/language_model/generation.h"
#include "train/tasks/language_model/incremental_decoder.h"

namespace calque {

class Draft {
 public:
  // The options must outlive this.
  Draft(const Tokenizer& tokenizer, std::vector<int32_t> prompt, const GenerationOptions& options);

  int64_t written() const { return std::ssize(ids_) - static_cast<int64_t>(prompt_size_); }
  bool done() const { return done_ || written() >= options_.max_tokens; }
  // Whether a stop string has occurred.
  bool stopped() const { return stop_ != std::string::npos; }

  // The tokens that a model with this context reads next: all, or the last half of the context once
  // it is full.
  std::vector<int32_t> visible(int64_t context) const;

  const ConstrainedText& constraint() const { return constraint_; }

  // Adds a token. An end of the text, the end of a stop string, or a constraint that allows no more
  // ends it.
  void append(const NextToken& token, std::vector<NextToken> alternatives = {});
  // Ends a text after which no token is allowed.
  void end(FinishReason reason);

  // The text that has become final since the last call. `all` makes the rest of the text final.
  std::string take_final_text(bool all);

  GeneratedText result() const;

 private:
  std::string_view written_text() const;
  void spell(int32_t id);
  void find_stop(size_t known);

  const GenerationOptions& options_;
  std::vector<int32_t> ids_;  // the prompt, and what is written
  std::vector<TokenChances> chances_;
  IncrementalDecoder decoder_;
  ConstrainedText constraint_;
  std::string spelled_, constrained_text_;  // the bytes under a constraint, and their text
  size_t prompt_size_;                      // ids
  size_t begin_ = 0;                        // bytes of the prompt's text
  size_t longest_stop_ = 0, shown_ = 0;     // bytes
  size_t stop_ = std::string::npos;         // where a stop string begins in the written text
  bool done_ = false;
  FinishReason finish_ = FinishReason::length;
  double log_probability_ = 0;
};

}  // namespace calque
