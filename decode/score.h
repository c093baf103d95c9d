#pragma once
// How probable a model finds given translations: the log-probability of each, </s> included.

#include <cstdint>
#include <vector>

#include "nn/transformer.h"

namespace calque {

struct PairScore {
  double log_probability = 0;
  int64_t tokens = 0;  // of the target, with </s>

  double per_token() const { return log_probability / static_cast<double>(tokens); }
};

// Sources and targets are without </s>; about `batch_tokens` target tokens are read at once.
std::vector<PairScore> score_pairs(const Transformer& model,
                                   const std::vector<std::vector<int32_t>>& sources,
                                   const std::vector<std::vector<int32_t>>& targets,
                                   int64_t batch_tokens = 1024);

}  // namespace calque
