#pragma once
// Word alignment from attention: the mean cross-attention weights over the heads of the penultimate
// decoder layer, or of the only one (Garg et al. 2019). A recurrent model has a single attention,
// which is used. Sources and targets are without </s>. The functions throw an Error for a recurrent
// model without attention.

#include <cstdint>
#include <span>
#include <vector>

#include "decode/explanation.h"
#include "nn/models/translator.h"

namespace calque {

// For each token of each target, the index of the source token with the largest weight; an empty
// vector if the source is empty. The model reads `before` before each source.
std::vector<std::vector<int32_t>> attended_source_tokens(
    Translator model, const std::vector<std::vector<int32_t>>& sources,
    const std::vector<std::vector<int32_t>>& targets, std::span<const int32_t> before = {});

// The weights of each pair: [target tokens, source tokens].
std::vector<ExplainedMatrix> attention_to_sources(Translator model,
                                                  const std::vector<std::vector<int32_t>>& sources,
                                                  const std::vector<std::vector<int32_t>>& targets,
                                                  std::span<const int32_t> before = {});

}  // namespace calque
