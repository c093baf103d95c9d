#pragma once
// The keys and values of all tokens read so far (the KV cache), and which of them each row of a
// step looks back at: the prompt of its item, then one row of each earlier step. Hypotheses fork
// and end by changing these histories; keys and values never move.

#include <cstdint>
#include <vector>

#include "core/segments.h"
#include "decode/step_decoder.h"
#include "nn/attention.h"

namespace calque {

class KeyValueCache {
 public:
  explicit KeyValueCache(size_t layers) : layers_(layers) {}

  // The prompts of all items, packed: one more layer at each call, [tokens, 2 d_model].
  void keep_prompts(const Segments& prompts) { prompts_ = prompts; }
  void keep_prompt_layer(size_t layer, Tensor keys_values);

  // Begins a step: each row's history is its parent's, and itself.
  void follow(const DecodingStep& step);
  // The position of each row's token.
  const std::vector<int32_t>& positions() const { return positions_; }

  // Self-attention of the step's rows over their histories: h [rows, d_model] -> the same.
  Tensor look_back(size_t layer, const SelfAttention& attention, const Tensor& h);

 private:
  struct Layer {
    Tensor prompts;               // [prompt tokens, 2 d_model], or absent
    std::vector<Tensor> written;  // of each step: [rows, 2 d_model]
  };

  Segments prompts_;  // of each item; without prompts there are none
  std::vector<Layer> layers_;
  std::vector<int32_t> items_, positions_;  // of the rows of this step
  int64_t steps_ = 0;
  std::vector<int32_t> history_;  // at [row * steps + t], the row of step t in the history of `row`
};

}  // namespace calque
