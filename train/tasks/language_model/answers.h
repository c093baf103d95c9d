#pragma once
// What a model answers in conversations whose last answer is known.

#include <span>
#include <string>
#include <vector>

#include "data/datasets/dataset.h"
#include "nn/models/language_model.h"
#include "train/config/config.h"

namespace calque {

struct KnownAnswer {
  // The text before the last answer, that answer, and what the model writes in its place. Without
  // the white space around them.
  std::string prompt, reference, answer;

  bool exact() const { return answer == reference; }
};

// Answers the conversations with these numbers, with the most probable token each time. An answer
// also ends before a string of `stop`. Requires a dataset of conversations (data/conversations/).
std::vector<KnownAnswer> answer_conversations(const LanguageModel& model,
                                              const Tokenizer& tokenizer, const Config& config,
                                              const Dataset& conversations,
                                              std::span<const int64_t> numbers,
                                              const std::vector<std::string>& stop = {});

// The number of exact answers of all, and chrF of the answers.
std::string answers_text(std::span<const KnownAnswer> answers);

}  // namespace calque
