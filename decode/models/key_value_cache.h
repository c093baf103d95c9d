#pragma once
// The keys and values of the tokens that a decoder has read (the KV cache), and the history of each
// row of a step: one row of each earlier step, and the row itself. Forking and ending hypotheses
// changes histories; keys and values do not move. (Language models have decode/models/text_keys.h.)

#include <cstdint>
#include <vector>

#include "core/segments.h"
#include "decode/search/step_decoder.h"
#include "nn/layers/attention.h"

namespace calque {

class KeyValueCache {
 public:
  explicit KeyValueCache(size_t layers) : layers_(layers) {}

  // Begins a step: a row's history is its parent's history, then the row itself.
  void follow(const DecodingStep& step);
  // The position of each row's token, and the rows as segments of one token.
  const std::vector<int32_t>& positions() const { return positions_; }
  const Segments& rows() const { return rows_; }

  // Self-attention of the step's rows over their histories; h is [rows, d_model]. Sparse attention
  // reads only the keys of its pattern; the cache keeps all keys.
  Tensor attend_to_cache(size_t layer, const SelfAttention& attention, const Tensor& h);

 private:
  std::vector<std::vector<Tensor>> layers_;  // of each step: [rows, 2 kd] (nn/layers/attention.h)
  int64_t steps_ = 0;
  Segments rows_;                   // of this step
  std::vector<int32_t> positions_;  // of each row
  std::vector<int32_t> history_;    // [row, t]: the row of step t in the history of `row`
};

}  // namespace calque
