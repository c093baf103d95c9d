#pragma once
// The tokens that a translation of a source probably has. A search that scores these alone is
// faster where the vocabulary is large: the product with the output table then takes most of the
// time.

#include <cstdint>
#include <span>
#include <vector>

#include "data/parallel/word_translations.h"

namespace calque {

struct ShortlistOptions {
  int64_t per_token = 100;      // target tokens for each source token
  int64_t frequent = 1000;      // target tokens for every source: the most frequent ones
  double probability = 0.0005;  // the least that a token has for a source token
};

class Shortlist {
 public:
  // Tokens for every source, and those for each source token. The special tokens are added to
  // those for every source.
  Shortlist(std::vector<int32_t> always, std::vector<std::vector<int32_t>> of_tokens);

  // Learns from pairs by word translation probabilities.
  static Shortlist learn(std::span<const AlignedIds> pairs, int32_t source_vocabulary,
                         const ShortlistOptions& options = {});

  // Sorted, each once. A source token without a list adds nothing.
  std::vector<int32_t> of(std::span<const int32_t> source) const;

  const std::vector<int32_t>& always() const { return always_; }
  const std::vector<std::vector<int32_t>>& of_tokens() const { return of_tokens_; }
  bool operator==(const Shortlist&) const = default;

 private:
  std::vector<int32_t> always_;  // sorted
  std::vector<std::vector<int32_t>> of_tokens_;
};

}  // namespace calque
