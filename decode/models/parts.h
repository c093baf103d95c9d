#pragma once
// Declarations that the decoding models of Transformers and recurrent translators share.

#include <cstdint>
#include <span>
#include <vector>

#include "core/products/blas.h"
#include "decode/search/step_decoder.h"
#include "nn/layers/linear.h"
#include "nn/layers/output_projection.h"
#include "nn/models/recurrent_translator.h"
#include "nn/models/transformer.h"

namespace calque {

// The implementations of translation_model(), one per kind of model.
DecodingModel cached_translation_model(const Transformer& model,
                                       const std::vector<std::vector<int32_t>>& sources);
DecodingModel recurrent_translation_model(const RecurrentTranslator& model,
                                          const std::vector<std::vector<int32_t>>& sources);

// The sources of the items, packed and ended by append_source(). Appends their lengths to
// `segments`.
std::vector<int32_t> packed_sources(const std::vector<std::vector<int32_t>>& sources,
                                    std::span<const size_t> items, bool source_end,
                                    Segments& segments);

// A weight as the right side of a product, for PackedWeights.
inline Matrix right_side(const Tensor& weight) {
  return {weight.values(), weight.rows(), weight.cols()};
}
inline Matrix right_side(const Linear& linear) { return right_side(linear.weight); }
inline Matrix right_side(const OutputProjection& output) {
  return transposed(right_side(output.weight));
}
inline void add_right_sides(const std::vector<const Linear*>& products, std::vector<Matrix>& to) {
  for (const Linear* linear : products) to.push_back(right_side(*linear));
}

}  // namespace calque
