#pragma once
// Draws tokens from a model's distribution instead of searching for the best: a plain loop, without
// a beam. What is drawn depends on the seed, the item's number, the sample and the number of tokens
// written, never on threads or on the other items of a batch. (Products of another number of rows
// may round scores differently; that shows only where a draw falls on the edge of two tokens.)

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "decode/next_tokens.h"
#include "decode/search.h"

namespace calque {

// The distribution that a token is drawn from. In this order: scores of tokens that occurred before
// are lowered, scores are divided by the temperature, and the least probable tokens are dropped by
// top_k, top_p and min_p.
struct Sampling {
  double temperature = 1;         // 0: always the best
  int64_t top_k = 0;              // keep the k best; 0: all
  double top_p = 1;               // keep the fewest whose probabilities reach p
  double min_p = 0;               // keep those of at least min_p times the best one's probability
  double repetition_penalty = 1;  // r: positive scores / r, negative * r (Keskar et al. 2019)
  uint64_t seed = 1;
};

// The token at `chance`, in [0, 1), with its log-probability before any of this; nothing when all
// are forbidden. `seen` are the tokens that the repetition penalty is for.
std::optional<NextToken> sample_token(std::span<const real> scores, real log_sum,
                                      const Sampling& sampling, double chance,
                                      std::span<const int32_t> seen = {});

struct SampledToken {
  size_t item;  // its place in the list of items
  int32_t sample;
  int32_t id;  // </s> too
  double log_probability;
};

struct SamplingOptions {
  Sampling sampling = {};
  TokenRules rules = {};
  int64_t samples = 1;  // independent ones for each item
  // At the longest length: true writes </s>, and log-probabilities are those of whole texts; false
  // cuts the text off.
  bool close_at_longest = true;
  int64_t batch_tokens = 4096;  // tokens written in one batch, those of all samples
  // Ends a sample when it returns true for the tokens written so far, without </s>.
  std::function<bool(size_t item, std::span<const int32_t> written)> stop = {};
  // Gets each token as it is drawn. Both functions are called from any thread, one call at a time.
  std::function<void(const SampledToken&)> token = {};
};

// The samples of each item, in the order of the items; `score` is the log-probability.
std::vector<std::vector<Hypothesis>> sample(std::span<const DecodingModel> models,
                                            std::span<const DecodingItem> items,
                                            const SamplingOptions& options,
                                            const std::function<void(int64_t)>& done = {});

}  // namespace calque
