#pragma once
// The cross-attention heat map: target tokens down, source tokens across.

#include <optional>
#include <string>

#include "decode/explanation.h"

namespace calque {

// Selects one head of one layer, the mean of a layer's heads, or the mean of all heads.
struct AttentionChoice {
  std::optional<int> layer;  // from 0
  std::optional<int> head;   // from 0; needs a layer
  std::string title = {};    // empty: names the choice
};

// Throws an Error if the model has no such layer or head, or no cross-attention.
std::string cross_attention_svg(const Explanation& explanation, const AttentionChoice& choice);

}  // namespace calque
