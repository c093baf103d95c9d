#pragma once
// Decoding without a cache, by definition: every log-probability comes from a full pass over
// everything written. decode/ must agree with it.

#include <cstdint>
#include <vector>

#include "nn/models/language_model.h"
#include "nn/small_model.h"

namespace calque {

// log p(token | source, written) for every token; `written` is without <s>, `source` without </s>.
std::vector<double> next_log_probabilities(const Transformer& model,
                                           const std::vector<int32_t>& source,
                                           const std::vector<int32_t>& written);

// log p(token | read) of a language model, for every token.
std::vector<double> next_log_probabilities(const LanguageModel& model,
                                           const std::vector<int32_t>& read);

// log p(ids, </s> | source).
double log_probability(const Transformer& model, const std::vector<int32_t>& source,
                       const std::vector<int32_t>& ids);

// The best token at each step (never <s> or <unk>), until </s> or `longest` tokens.
std::vector<int32_t> plain_greedy(const Transformer& model, const std::vector<int32_t>& source,
                                  int64_t longest);

// `count` sentences of random lengths from 1 to `longest`, without special symbols.
std::vector<std::vector<int32_t>> random_sources(int64_t vocabulary, int64_t count, int64_t longest,
                                                 uint64_t seed);

// A small model with a sharpened output, so that its translations differ in length and no two
// tokens are nearly equally probable.
SmallModel decided_model(TransformerOptions options, uint64_t seed);

}  // namespace calque
