#include "train/tasks/language_model/prompt_inspection.h"

#include <algorithm>

#include "core/error.h"
#include "core/tape.h"
#include "data/tokenizers/vocabulary.h"
#include "decode/inspection/attribution.h"
#include "decode/inspection/edited_output.h"
#include "decode/inspection/head_patterns.h"
#include "decode/inspection/logit_lens.h"
#include "decode/inspection/patching.h"
#include "decode/inspection/zeroed_heads.h"
#include "train/tasks/language_model/prompt_continuation.h"

namespace calque {
namespace {

void require_heads(const LanguageModel& model, const std::vector<HeadPlace>& places) {
  const int64_t layers = std::ssize(model.stack.layers), heads = model.options.layer.heads;
  for (const HeadPlace& place : places) {
    if (place.layer >= 0 && place.layer < layers && place.head >= 0 && place.head < heads) continue;
    fail("there is no head {}.{}; the heads of this model are 1.1 to {}.{}", place.layer + 1,
         place.head + 1, layers, heads);
  }
}

Push push_of(const LanguageModelRun& run, const Steering& steering,
             const std::vector<Tensor>& states) {
  if (steering.layer < 0 || steering.layer >= std::ssize(states)) {
    fail(
        "there is no layer {} to steer; the layers of this model are 1 to {}, and 0 is the "
        "embeddings",
        steering.layer, states.size() - 1);
  }
  const std::vector<int32_t> tokens = run.tokenizer.encode(steering.word);
  if (tokens.empty() || std::ranges::count(tokens, unknown_id) > 0) {
    fail("the vocabulary has no tokens for '{}', the word to steer towards", steering.word);
  }
  const real length = length_of_last(states[steering.layer]);
  return {steering.layer,
          direction_of(run.model(), tokens, static_cast<real>(steering.strength) * length)};
}

std::vector<std::string> names_of(const InspectionChoice& choice) {
  std::vector<std::string> names;
  for (const HeadPlace& place : choice.without) {
    names.push_back(fmt::format("without head {}.{}", place.layer + 1, place.head + 1));
  }
  for (const Steering& each : choice.steering) {
    const std::string where =
        each.layer == 0 ? "at the embeddings" : fmt::format("after layer {}", each.layer);
    names.push_back(
        fmt::format("steered along '{}' {}, strength {:g}", each.word, where, each.strength));
  }
  return names;
}

EditedOutput edited_output(const LanguageModelRun& run, const std::vector<int32_t>& prompt,
                           const std::vector<Tensor>& states, const InspectionChoice& choice) {
  Edits edits{.without = choice.without};
  for (const Steering& each : choice.steering) edits.pushes.push_back(push_of(run, each, states));
  const Hypothesis found =
      greedy_continuation(run, edited_model(run.model(), prompt, edits), prompt);
  EditedOutput output{.edits = names_of(choice),
                      .next = compare_next(run.model(), prompt, edits),
                      .continuation = found.ids,
                      .text = run.tokenizer.decode_document(found.ids)};
  if (found.finished) output.continuation.push_back(end_id);
  return output;
}

Patching patching(const LanguageModelRun& run, const std::vector<int32_t>& prompt,
                  const std::string& against) {
  const std::vector<int32_t> other = prompt_tokens(run, against, "the prompt to patch from");
  if (other.size() != prompt.size()) {
    fail(
        "the prompt to patch from has {} tokens, but the prompt has {}; patching needs two prompts "
        "with the same number of tokens",
        other.size() - 1, prompt.size() - 1);
  }
  Patching found = patch_states(run.model(), prompt, other);
  found.against = against;
  return found;
}

}  // namespace

Inspection inspect_prompt(const LanguageModelRun& run, const Explanation& explanation,
                          const InspectionChoice& choice) {
  const LanguageModel& model = run.model();
  require_heads(model, choice.without);
  Parameters& parameters = run.network->parameters;
  if (!parameters.all_frozen()) parameters.freeze_all();
  std::vector<int32_t> text = {begin_id};
  text.insert(text.end(), explanation.target_tokens.begin(), explanation.target_tokens.end());
  const std::span<const int32_t> read(text.data(), text.size() - 1);
  const std::vector<int32_t> prompt(text.begin(), text.begin() + explanation.given + 1);
  const std::vector<Tensor> states = residual_states(model, prompt);

  Inspection found;
  if (!choice.against.empty()) found.patching = patching(run, prompt, choice.against);
  if (!choice.without.empty() || !choice.steering.empty()) {
    found.edited = edited_output(run, prompt, states, choice);
  }
  found.lens = logit_lens(model, residual_states(model, read), explanation.target_tokens);
  found.patterns = head_patterns(model, read, run.config.data.context);
  found.attribution = attributions(model, text, std::ssize(read) - explanation.given);
  found.zeroed = zeroed_heads(model, states, explanation.target_tokens[explanation.given]);
  return found;
}

}  // namespace calque
