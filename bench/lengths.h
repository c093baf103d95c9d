#pragma once
// Sentences of given lengths for benchmarks: a table of lengths, or a corpus whose tokens are
// separated by spaces, cut into batches of pairs of like length.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/pair_batch.h"

namespace calque {

using PairLengths = std::vector<std::pair<int32_t, int32_t>>;  // source, target, without </s>

// Lines of `source target pairs`; # begins a comment.
PairLengths lengths_of_table(const std::string& path);
PairLengths lengths_of_corpus(const std::string& source, const std::string& target);

// Batches of at most `tokens` target tokens, </s> included, with random ids; shuffled.
std::vector<PairBatch> make_batches(PairLengths pairs, int64_t tokens, int32_t vocabulary,
                                    uint64_t seed);

}  // namespace calque
