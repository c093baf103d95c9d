#include "decode/explain_text.h"

#include "core/error.h"
#include "core/tape.h"
#include "decode/explained_model.h"

namespace calque {

Explanation explain_text(const LanguageModel& model, const std::vector<int32_t>& prompt,
                         const std::vector<int32_t>& continuation) {
  require(prompt.size() + continuation.size() >= 2 && !prompt.empty(),
          "explain_text: {} tokens of a prompt and {} of its continuation; nothing is predicted",
          prompt.size(), continuation.size());
  const NoGradient nothing_recorded;
  std::vector<int32_t> text = prompt;
  text.insert(text.end(), continuation.begin(), continuation.end());
  Explanation explanation;
  explanation.target_tokens.assign(text.begin() + 1, text.end());
  explanation.given = std::ssize(prompt) - 1;
  text.pop_back();  // nothing follows it
  AttentionRecord record;
  const Segments whole = Segments::of_lengths(std::vector{static_cast<int32_t>(text.size())});
  explanation.logits = rows_of(model.logits(model.hidden(text, whole, Mode::evaluate, &record)));
  int layer = 0;
  for (const SelfAttentionLayer& block : model.stack.layers) {
    add_heads(explanation.decoder_self, layer++, record, block.self_attention.name);
  }
  explanation.positions = explained_positions(model.options.layer, model.positions);
  return explanation;
}

}  // namespace calque
