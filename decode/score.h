#pragma once
// How probable a model finds given tokens: of translations the log-probability, </s> included; of
// plain texts the log-probability of every token.

#include <cstdint>
#include <span>
#include <vector>

#include "core/segments.h"
#include "nn/transformer.h"

namespace calque {

struct SequenceScore {
  double log_probability = 0;
  int64_t tokens = 0;  // with </s>

  double per_token() const { return log_probability / static_cast<double>(tokens); }
};

// The sum of each segment's log-probabilities.
std::vector<SequenceScore> scores_of(std::span<const real> log_probabilities,
                                     const Segments& segments);

// Sources and targets are without </s>; about `batch_tokens` target tokens are read at once.
std::vector<SequenceScore> score_pairs(const Transformer& model,
                                       const std::vector<std::vector<int32_t>>& sources,
                                       const std::vector<std::vector<int32_t>>& targets,
                                       int64_t batch_tokens = 1024);

}  // namespace calque
