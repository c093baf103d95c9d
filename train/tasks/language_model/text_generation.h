#pragma once
// Prompts in, texts out: encode, draw tokens, decode. A text that grows beyond the context goes on
// from the second half of the context.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/tokenizer.h"
#include "decode/sampling.h"
#include "nn/language_model.h"

namespace calque {

struct GenerationOptions {
  Sampling sampling;
  int64_t samples = 1;  // texts for each prompt
  int64_t max_tokens = 256;
  int64_t context = 256;          // tokens that the model sees at once
  std::vector<std::string> stop;  // a text ends before the first of these
};

enum class FinishReason { end, stop, length };  // </s>, a stop string, max_tokens

struct GeneratedText {
  std::string text;  // without the prompt
  int64_t tokens = 0;
  FinishReason finish = FinishReason::length;
  double log_probability = 0;
};

// Receives text as soon as it cannot change any more.
using TextSink = std::function<void(size_t prompt, size_t sample, const std::string& text)>;

// For each prompt its samples. The same seed gives the same texts on any number of threads,
// whatever the other prompts are.
std::vector<std::vector<GeneratedText>> generate_texts(const LanguageModel& model,
                                                       const Tokenizer& tokenizer,
                                                       std::span<const std::string> prompts,
                                                       const GenerationOptions& options,
                                                       const TextSink& sink = {});

}  // namespace calque
