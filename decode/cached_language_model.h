#pragma once
// A language model that writes token by token. The prompts but their last tokens are computed in
// one packed pass (prefill), which keeps keys and values; each step then runs the layers over one
// token of every unfinished text. The samples of one prompt share its keys and values.
//
// Memory: for each token of a prompt, and for each token written, 2 d_model numbers a layer.

#include <cstdint>
#include <span>
#include <vector>

#include "decode/key_value_cache.h"
#include "decode/step_decoder.h"
#include "nn/language_model.h"

namespace calque {

class CachedLanguageModel final : public StepDecoder {
 public:
  // The weights that every step multiplies with, for PackedWeights.
  static std::vector<Matrix> right_sides(const LanguageModel& model);

  // Each prompt has a token at least; the first step reads the last token of each.
  CachedLanguageModel(const LanguageModel& model,
                      const std::vector<std::span<const int32_t>>& prompts);

  Tensor step(const DecodingStep& step) override;

 private:
  const LanguageModel& model_;
  KeyValueCache cache_;
};

}  // namespace calque
