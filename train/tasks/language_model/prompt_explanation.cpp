#include "train/tasks/language_model/prompt_explanation.h"

#include "data/tokenizers/vocabulary.h"
#include "decode/explain.h"
#include "decode/models/language_decoding.h"
#include "train/tasks/language_model/prompt_continuation.h"

namespace calque {

Explanation explain_prompt(const LanguageModelRun& run, const std::string& text) {
  const std::vector<std::vector<int32_t>> prompts = {prompt_tokens(run, text, "the prompt")};
  const Hypothesis found =
      greedy_continuation(run, language_decoding_model(run.model(), prompts), prompts.front());
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
