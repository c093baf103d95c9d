#pragma once
// Draws tokens from a model's distribution instead of searching for the best hypothesis. A draw
// depends on the seed, the item's number, the sample and the number of tokens written, not on
// threads or on the other items of a batch. (Batches of another size may round scores differently,
// which matters only if a draw falls on the boundary of two tokens.)

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "decode/search/next_tokens.h"
#include "decode/search/search.h"

namespace calque {

// The distribution that a token is drawn from: tokens that the constraint of an item forbids are
// dropped first; the repetition penalty changes the scores, then the temperature; then top_k, top_p
// and min_p drop the least probable tokens.
struct Sampling {
  double temperature = 1;         // 0: always the most probable token
  int64_t top_k = 0;              // keep the k best tokens; 0: all
  double top_p = 1;               // keep the fewest tokens whose total probability reaches p
  double min_p = 0;               // keep tokens with at least min_p times the best probability
  double repetition_penalty = 1;  // r: positive scores / r, negative * r (Keskar et al. 2019)
  uint64_t seed = 1;
};

// Draws the token at the cumulative probability `chance`, in [0, 1), of the distribution. Returns
// it with its log-probability in the unchanged distribution, or nothing if all tokens are
// forbidden. The repetition penalty applies to the tokens `seen`.
std::optional<NextToken> sample_token(std::span<const real> scores, real log_sum,
                                      const Sampling& sampling, double chance,
                                      std::span<const int32_t> seen = {});

// The token that a sample of an item writes after `written`. Lowers the scores of tokens that the
// item, the rules or the sample's constraint forbid. Returns nothing if they forbid all.
std::optional<NextToken> draw_next(std::span<real> scores, const DecodingItem& item,
                                   const TokenRules& rules, const ConstrainedText& constraint,
                                   const Sampling& sampling, int32_t sample,
                                   std::span<const int32_t> written);

struct SampledToken {
  size_t item;  // its index in the list of items
  int32_t sample;
  int32_t id;  // may be </s>
  double log_probability;
};

struct SamplingOptions {
  Sampling sampling = {};
  TokenRules rules = {};
  int64_t samples = 1;  // number of independent samples of each item
  // At the longest length: true writes </s>, whose log-probability counts; false cuts the text off.
  bool close_at_longest = true;
  int64_t batch_tokens = 4096;  // approximate number of tokens in a batch, over all samples
  // Ends a sample if it returns true for the tokens written so far, without </s>.
  std::function<bool(size_t item, std::span<const int32_t> written)> stop = {};
  // Gets each token as it is drawn. Both functions are called from any thread, one call at a time.
  std::function<void(const SampledToken&)> token = {};
};

// The samples of each item. The score of a sample is its log-probability in the unchanged
// distribution. A sample whose constraint allows no more tokens is finished without </s>. `done` is
// as in search().
std::vector<std::vector<Hypothesis>> sample(std::span<const DecodingModel> models,
                                            std::span<const DecodingItem> items,
                                            const SamplingOptions& options,
                                            const std::function<void(int64_t)>& done = {});

}  // namespace calque
