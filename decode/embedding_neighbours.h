#pragma once
// Nearest neighbours of tokens by the cosine of their embeddings: tokens that the model treats
// alike.

#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "decode/explanation.h"

namespace calque {

// For each distinct token, in the order of first occurrence, the `count` other tokens nearest to it
// in the table [vocabulary, d_model]. Special symbols are left out.
std::vector<NearTokens> embedding_neighbours(const Tensor& table,
                                             const std::vector<int32_t>& tokens, int64_t count);

}  // namespace calque
