#pragma once
// A Transformer that writes token by token. What the decoder's layers computed for earlier tokens
// is kept (the KV cache), what they need of the sources is computed once, and each step runs the
// layers over one token of every unfinished hypothesis together.
//
// Memory: for each hypothesis and token written, and for each source token, 2 d_model numbers a
// decoder layer.

#include <cstdint>
#include <span>
#include <vector>

#include "decode/step_decoder.h"
#include "nn/transformer.h"

namespace calque {

class CachedDecoder final : public StepDecoder {
 public:
  // The weights that every step multiplies with, for PackedWeights.
  static std::vector<Matrix> right_sides(const Transformer& model);

  // Encodes the sources, </s> included.
  CachedDecoder(const Transformer& model, std::span<const int32_t> sources,
                const Segments& segments);

  Tensor step(const DecodingStep& step) override;

 private:
  struct Layer {
    Tensor memory;                // keys and values of the source tokens: [tokens, 2 d_model]
    std::vector<Tensor> written;  // of each step: keys and values of its rows, [rows, 2 d_model]
  };
  void follow(const DecodingStep& step);
  Tensor look_back(size_t layer, const Tensor& h, int64_t rows);
  Tensor look_across(size_t layer, const Tensor& h, const DecodingStep& step) const;

  const Transformer& model_;
  Segments segments_;
  std::vector<Layer> layers_;
  int64_t steps_ = 0;
  // At [row * steps + t], the row of step t in the history of `row`.
  std::vector<int32_t> history_;
};

}  // namespace calque
