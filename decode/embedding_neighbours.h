#pragma once
// The tokens whose embeddings have the largest cosine with that of a token: what the model treats
// alike.

#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "decode/explanation.h"

namespace calque {

// For each different token, in the order of their first occurrence, its `count` nearest others in
// the table [vocabulary, d_model]. Special symbols are left out.
std::vector<NearTokens> embedding_neighbours(const Tensor& table,
                                             const std::vector<int32_t>& tokens, int64_t count);

}  // namespace calque
