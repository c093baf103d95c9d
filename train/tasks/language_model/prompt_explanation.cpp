#include "train/tasks/language_model/prompt_explanation.h"

#include <algorithm>

#include "core/error.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"
#include "decode/explain.h"
#include "decode/models/language_decoding.h"
#include "decode/search/sampling.h"

namespace calque {
namespace {

std::vector<int32_t> encoded_prompt(const LanguageModelRun& run, const std::string& text) {
  const std::string problem = utf8_problem(text);
  if (!problem.empty()) fail("the prompt: {}", problem);
  std::vector<int32_t> ids = {begin_id};
  run.tokenizer.encode_document(text, ids);
  const int64_t context = run.config.data.context;
  if (std::ssize(ids) >= context) {
    fail(
        "the prompt has {} tokens, but the model sees {} at once, the next token included; "
        "shorten it",
        ids.size(), context);
  }
  return ids;
}

}  // namespace

Explanation explain_prompt(const LanguageModelRun& run, const std::string& text) {
  constexpr int64_t most_tokens = 24;
  const std::vector<std::vector<int32_t>> prompts = {encoded_prompt(run, text)};
  const int64_t room = run.config.data.context - std::ssize(prompts.front());
  SamplingOptions greedy;
  greedy.sampling.temperature = 0;
  greedy.close_at_longest = false;
  const DecodingModel model = language_decoding_model(run.model(), prompts);
  const Hypothesis found =
      sample({&model, 1}, language_items(prompts, std::min(room, most_tokens)), greedy)
          .front()
          .front();
  std::vector<int32_t> continuation = found.ids;
  if (found.finished) continuation.push_back(end_id);
  Explanation explanation = explain_text(run.model(), prompts.front(), continuation);
  explanation.source = text;
  explanation.translation = run.tokenizer.decode_document(found.ids);
  explanation.model =
      fmt::format("{}, {} parameters", run.checkpoint, run.network->parameters.count());
  for (int32_t id = 0; id < run.tokenizer.size(); ++id) {
    explanation.vocabulary.push_back(run.tokenizer.symbol(id));
  }
  return explanation;
}

}  // namespace calque
