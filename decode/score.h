#pragma once
// The log-probability that a model assigns to given translations.

#include <cstdint>
#include <vector>

#include "nn/transformer.h"

namespace calque {

struct SequenceScore {
  double log_probability = 0;
  int64_t tokens = 0;  // with </s>
};

// Sources and targets are without </s>. A batch has about `batch_tokens` target tokens.
std::vector<SequenceScore> score_pairs(const Transformer& model,
                                       const std::vector<std::vector<int32_t>>& sources,
                                       const std::vector<std::vector<int32_t>>& targets,
                                       int64_t batch_tokens = 1024);

}  // namespace calque
