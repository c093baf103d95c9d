#pragma once
// The masks of masked language modelling (Devlin et al. 2019): each token or word is chosen with a
// probability. A chosen token becomes [MASK] in 80% of cases, a random token in 10%, and is
// unchanged in 10%. The choice is a function of (seed, epoch, window), so a resumed run needs no
// state. [MASK] has the first id after the tokenizer's vocabulary; the files of tokenizers do not
// contain it.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace calque {

inline constexpr std::string_view mask_symbol = "[MASK]";
inline int32_t mask_id(const Tokenizer& tokenizer) { return tokenizer.size(); }

inline constexpr int32_t not_masked = -1;

struct Masking {
  double share = 0.15;  // the probability that a token or word is chosen
  uint64_t seed = 1;
  int32_t vocabulary = 0;              // ids of the tokenizer; [MASK] is the next id
  std::vector<bool> begins_word = {};  // by id; empty: tokens are chosen one by one
};

// For whole-word masking: whether each token begins a word. Requires a tokenizer other than bytes.
std::vector<bool> word_beginnings(const Tokenizer& tokenizer);

// Masks ids in place. Returns the original id at chosen positions, and not_masked elsewhere. <s>
// and </s> are never chosen. At least one token is chosen, unless all are <s> or </s>.
std::vector<int32_t> mask_tokens(std::span<int32_t> ids, const Masking& masking, int64_t epoch,
                                 int64_t window);

}  // namespace calque
