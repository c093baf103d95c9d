#pragma once
// Generates texts: encodes prompts, draws tokens and decodes them. When the context is full, the
// model continues from the last half of it.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/named.h"
#include "data/tokenizers/tokenizer.h"
#include "decode/constraints/output_constraint.h"
#include "decode/search/sampling.h"
#include "nn/models/language_model.h"

namespace calque {

struct GenerationOptions {
  Sampling sampling;
  int64_t samples = 1;  // texts for each prompt
  int64_t max_tokens = 256;
  int64_t context = 256;          // the most tokens that the model reads
  std::vector<std::string> stop;  // a text ends before the first of these
  std::vector<int32_t> ends;      // tokens that end a text beside </s>, and are not part of it
  int64_t alternatives = 0;       // of each token, to report with its log-probability
  // What every text must match; then a stop string ends a text only where it matches. One that
  // max_tokens cuts off is only the beginning of a match.
  std::shared_ptr<const OutputConstraint> constraint = {};
};

enum class FinishReason { end, stop, length };  // </s>, a stop string, max_tokens
inline constexpr Named<FinishReason> finish_reasons[] = {
    {"end", FinishReason::end}, {"stop", FinishReason::stop}, {"length", FinishReason::length}};

// A token that was drawn, and the most probable tokens in its place, in the model's distribution
// before all settings of sampling.
struct TokenChances {
  double log_probability = 0;
  std::vector<NextToken> best;  // `alternatives` of them, the best first
};

struct GeneratedText {
  std::string text;  // without the prompt
  // The sampled tokens, without </s>. A stop string may end `text` before the last of them.
  std::vector<int32_t> ids;
  std::vector<TokenChances> chances = {};  // of each of these
  int64_t tokens = 0;
  FinishReason finish = FinishReason::length;
  double log_probability = 0;
  int64_t cached_tokens =
      0;  // of the prompt: read for an earlier text (decode/models/prefix_cache.h)
};

// Receives text once it cannot change any more.
using TextSink = std::function<void(size_t prompt, size_t sample, const std::string& text)>;

// The samples of each prompt, which is the ids that the model reads. They depend on the seed, but
// not on the number of threads or on later prompts.
std::vector<std::vector<GeneratedText>> generate_after(
    const LanguageModel& model, const Tokenizer& tokenizer,
    std::span<const std::vector<int32_t>> prompts, const GenerationOptions& options,
    const TextSink& sink = {});
// The same for prompts as text: the model reads <s> and the ids of the text.
std::vector<std::vector<GeneratedText>> generate_texts(const LanguageModel& model,
                                                       const Tokenizer& tokenizer,
                                                       std::span<const std::string> prompts,
                                                       const GenerationOptions& options,
                                                       const TextSink& sink = {});

// What the model reads before it continues a text: <s> and the ids.
std::vector<int32_t> prompt_ids(const Tokenizer& tokenizer, const std::string& text);

// For each of text.ids, the number of characters of text.text that the tokens before it have
// written. A character of several tokens is written by the last of them.
std::vector<int64_t> text_offsets(const Tokenizer& tokenizer, const std::string& prompt,
                                  const GeneratedText& text);

}  // namespace calque
