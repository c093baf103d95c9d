#pragma once
// The cross-attention heat map alone, as papers show it: target words down, source words across.

#include <optional>
#include <string>

#include "decode/explanation.h"

namespace calque {

// Which attention: one head of one layer; the mean of a layer's heads; or the mean of all.
struct AttentionChoice {
  std::optional<int> layer;  // from 0
  std::optional<int> head;   // from 0; needs a layer
};

// Error when the model has no such layer or head.
std::string cross_attention_svg(const Explanation& explanation, const AttentionChoice& choice);

}  // namespace calque
