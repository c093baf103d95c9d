#pragma once
// A Transformer that writes token by token. The keys and values of earlier tokens are cached, those
// of the sources are computed once, and each step runs the decoder's layers over one token of every
// unfinished hypothesis together.
//
// Memory: for each token of a hypothesis, and for each source token, 2 d_model numbers a layer.

#include <cstdint>
#include <span>
#include <vector>

#include "decode/key_value_cache.h"
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
  Tensor look_across(size_t layer, const Tensor& h, const DecodingStep& step) const;

  const Transformer& model_;
  Segments segments_;
  std::vector<Tensor>
      memory_;  // of each layer: keys and values of the sources, [tokens, 2 d_model]
  KeyValueCache cache_;
};

}  // namespace calque
