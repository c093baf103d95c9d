#pragma once
// Sentence pairs with the lengths of Multi30k's and random ids, and batches of them.

#include <cstdint>
#include <utility>
#include <vector>

#include "core/random.h"
#include "data/pair_batch.h"

namespace calque {

using PairLengths = std::vector<std::pair<int32_t, int32_t>>;  // source, target, without </s>

// Of the training pairs (bench/multi30k_lengths.txt).
PairLengths multi30k_lengths();

std::vector<int32_t> random_ids(Random& random, int32_t count, int32_t vocabulary);

// Batches of pairs of like length, each of at most `tokens` target tokens with </s>; shuffled.
std::vector<PairBatch> make_batches(PairLengths pairs, int64_t tokens, int32_t vocabulary);

}  // namespace calque
