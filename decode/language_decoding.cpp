#include "decode/language_decoding.h"

#include "decode/cached_language_model.h"

namespace calque {

using Prompts = std::vector<std::vector<int32_t>>;

std::vector<DecodingItem> language_items(const Prompts& prompts, int64_t longest) {
  std::vector<DecodingItem> items;
  for (const std::vector<int32_t>& prompt : prompts) {
    require(!prompt.empty(), "language_items: a prompt without tokens; <s> is one");
    DecodingItem& item = items.emplace_back();
    item.first = prompt.back();
    item.longest = item.expected = longest;
    item.number = std::ssize(items) - 1;
    item.input = std::ssize(prompt);
    item.prefill = std::ssize(prompt) - 1;
    item.context = prompt;
  }
  return items;
}

DecodingModel language_decoding_model(const LanguageModel& model, const Prompts& prompts) {
  DecodingModel decoding;
  decoding.start = [&](std::span<const size_t> items) {
    std::vector<std::span<const int32_t>> started;
    for (const size_t item : items) started.emplace_back(prompts[item]);
    return std::make_unique<CachedLanguageModel>(model, started);
  };
  decoding.vocabulary = model.options.vocabulary;
  if (model.options.layer.positions == PositionKind::learned) {
    for (const std::vector<int32_t>& prompt : prompts) {
      decoding.positions.push_back(model.options.layer.max_positions - std::ssize(prompt) + 1);
    }
  }
  decoding.right_sides = CachedLanguageModel::right_sides(model);
  return decoding;
}

}  // namespace calque
