// Language models as search and sampling decode with them (declared in
// decode/models/language_decoding.h). The prompts are read part by part; each step then reads one
// token of every unfinished hypothesis.

#include <algorithm>
#include <utility>

#include "decode/models/language_decoding.h"
#include "decode/models/parts.h"
#include "decode/models/text_keys.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

constexpr int64_t prompt_part = 512;  // tokens of a prompt that one pass reads

class CachedLanguageModel final : public StepDecoder {
 public:
  CachedLanguageModel(const LanguageModel& model, const std::vector<Ids>& prompts,
                      std::span<const size_t> items)
      : model_(model), prompts_(items.size()) {
    for (size_t longest = 0, begin = 0; begin <= longest; begin += prompt_part) {
      std::vector<TokensToRead> parts;
      for (size_t i = 0; i < items.size(); ++i) {
        const Ids& prompt = prompts[items[i]];
        require(!prompt.empty(), "language_decoding_model: an empty prompt; begin with <s>");
        // The first step reads the last token.
        const std::span<const int32_t> all = std::span(prompt).first(prompt.size() - 1);
        longest = std::max(longest, all.size());
        if (begin >= all.size()) continue;
        parts.push_back({&prompts_[i], all.subspan(begin).first(
                                           std::min<size_t>(prompt_part, all.size() - begin))});
      }
      if (!parts.empty()) read_tokens(model_, parts);
    }
  }

  Tensor step(const DecodingStep& step) override {
    follow(step);
    std::vector<TokensToRead> rows;
    for (size_t r = 0; r < step.ids.size(); ++r) rows.push_back({&texts_[r], {&step.ids[r], 1}});
    return model_.logits(read_tokens(model_, rows));
  }

 private:
  // Row r continues the text of its parent, or in the first step its prompt.
  void follow(const DecodingStep& step) {
    std::vector<TextKeys>& parents = started_ ? texts_ : prompts_;
    const std::vector<int32_t>& numbers = started_ ? step.parents : step.items;
    std::vector<int32_t> children(parents.size());
    for (const int32_t number : numbers) ++children[number];
    std::vector<TextKeys> texts;
    for (const int32_t number : numbers) {
      TextKeys& parent = parents[number];
      texts.push_back(--children[number] == 0 ? std::move(parent) : parent.fork());
    }
    texts_ = std::move(texts);
    started_ = true;
  }

  const LanguageModel& model_;
  std::vector<TextKeys> prompts_;  // of each item, until the first step
  std::vector<TextKeys> texts_;    // of each row of the last step
  bool started_ = false;
};

}  // namespace

std::vector<DecodingItem> language_items(const std::vector<Ids>& prompts, int64_t longest) {
  std::vector<DecodingItem> items;
  for (const std::vector<int32_t>& prompt : prompts) {
    require(!prompt.empty(), "language_items: an empty prompt; begin with <s>");
    items.push_back({.first = prompt.back(),
                     .longest = longest,
                     .number = std::ssize(items),
                     .expected = longest,
                     .input = std::ssize(prompt),
                     .prefill = std::ssize(prompt) - 1,
                     .context = prompt});
  }
  return items;
}

std::vector<Matrix> right_sides(const LanguageModel& model) {
  std::vector<Matrix> all;
  for (const SelfAttentionLayer& layer : model.stack.layers) {
    add_right_sides({&layer.self_attention.qkv, &layer.self_attention.output}, all);
    add_right_sides(layer.feed_forward.products(), all);
  }
  all.push_back(right_side(model.output));
  return all;
}

DecodingModel language_decoding_model(const LanguageModel& model, const std::vector<Ids>& prompts) {
  DecodingModel decoding;
  decoding.start = [&](std::span<const size_t> items) {
    return std::make_unique<CachedLanguageModel>(model, prompts, items);
  };
  decoding.vocabulary = model.options.vocabulary;
  if (model.options.layer.positions == PositionKind::learned) {
    for (const Ids& prompt : prompts) {
      decoding.positions.push_back(model.options.layer.max_positions - std::ssize(prompt) + 1);
    }
  }
  decoding.right_sides = right_sides(model);
  return decoding;
}

}  // namespace calque
