#include "decode/cached_language_model.h"

#include "core/error.h"
#include "core/tape.h"
#include "decode/right_sides.h"

namespace calque {
namespace {

// What is read before the first step: all tokens of each prompt but the last.
Segments read_before(const std::vector<std::span<const int32_t>>& prompts) {
  Segments segments;
  for (const std::span<const int32_t> prompt : prompts) {
    require(!prompt.empty(), "CachedLanguageModel: a prompt without tokens; <s> is one");
    segments.append(static_cast<int32_t>(prompt.size()) - 1);
  }
  return segments;
}

// The layers over x, embedded, with `attend` in place of self-attention.
template <class Attend>
Tensor run_layers(const SelfAttentionStack& stack, Tensor x, Attend&& attend) {
  for (size_t i = 0; i < stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = stack.layers[i];
    x = layer.self_attention_residual(
        x, Mode::evaluate, [&](const Tensor& h) { return attend(i, layer.self_attention, h); });
    x = layer.feed_forward_residual(
        x, Mode::evaluate, [&](const Tensor& h) { return layer.feed_forward(h, Mode::evaluate); });
  }
  return x;
}

}  // namespace

std::vector<Matrix> CachedLanguageModel::right_sides(const LanguageModel& model) {
  std::vector<Matrix> sides;
  for (const SelfAttentionLayer& layer : model.stack.layers) {
    for (const Linear* linear : {&layer.self_attention.qkv, &layer.self_attention.output,
                                 &layer.feed_forward.inner, &layer.feed_forward.outer}) {
      sides.push_back(right_side(*linear));
    }
  }
  sides.push_back(right_side(model.output));
  return sides;
}

CachedLanguageModel::CachedLanguageModel(const LanguageModel& model,
                                         const std::vector<std::span<const int32_t>>& prompts)
    : model_(model), cache_(model.stack.layers.size(), read_before(prompts)) {
  const NoGradient nothing_recorded;
  std::vector<int32_t> ids;
  for (const std::span<const int32_t> prompt : prompts) {
    ids.insert(ids.end(), prompt.begin(), prompt.end() - 1);
  }
  if (ids.empty()) return;
  run_layers(model.stack, model.positions(model.embedding(ids), cache_.prompts()),
             [&](size_t layer, const SelfAttention& attention, const Tensor& h) {
               return cache_.read_prompts(layer, attention, h);
             });
}

Tensor CachedLanguageModel::step(const DecodingStep& step) {
  const NoGradient nothing_recorded;
  cache_.follow(step);
  const Tensor x = run_layers(
      model_.stack, model_.positions(model_.embedding(step.ids), cache_.rows(), cache_.positions()),
      [&](size_t layer, const SelfAttention& attention, const Tensor& h) {
        return cache_.look_back(layer, attention, h);
      });
  return model_.logits(model_.stack.norm ? (*model_.stack.norm)(x) : x);
}

}  // namespace calque
