#include "train/tasks/language_model/prompt_continuation.h"

#include <algorithm>

#include "core/error.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"
#include "decode/models/language_decoding.h"
#include "decode/search/sampling.h"

namespace calque {

std::vector<int32_t> prompt_tokens(const LanguageModelRun& run, const std::string& text,
                                   const std::string& what) {
  const std::string problem = utf8_problem(text);
  if (!problem.empty()) fail("{}: {}", what, problem);
  std::vector<int32_t> ids = {begin_id};
  run.tokenizer.encode_document(text, ids);
  const int64_t context = run.config.data.context;
  if (std::ssize(ids) >= context) {
    fail("{} has {} tokens, but the model sees {} at once, the next token included; shorten it",
         what, ids.size(), context);
  }
  return ids;
}

Hypothesis greedy_continuation(const LanguageModelRun& run, const DecodingModel& model,
                               const std::vector<int32_t>& prompt) {
  constexpr int64_t most_tokens = 24;
  const int64_t room = run.config.data.context - std::ssize(prompt);
  SamplingOptions greedy;
  greedy.sampling.temperature = 0;
  greedy.close_at_longest = false;
  return sample({&model, 1}, language_items({prompt}, std::min(room, most_tokens)), greedy)
      .front()
      .front();
}

}  // namespace calque
