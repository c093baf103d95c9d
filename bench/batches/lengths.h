#pragma once
// Batches of sentence pairs with random ids and with the lengths of Multi30k's pairs.

#include <cstdint>
#include <utility>
#include <vector>

#include "core/random.h"
#include "data/batches/stream.h"

namespace calque {

using PairLengths = std::vector<std::pair<int32_t, int32_t>>;  // source, target, without </s>

// The lengths of the training pairs, from bench/batches/multi30k_lengths.txt.
PairLengths multi30k_lengths();

std::vector<int32_t> random_ids(Random& random, int32_t count, int32_t vocabulary);

// Shuffled batches of pairs of similar length, each of at most `tokens` target tokens with </s>.
std::vector<ExampleBatch> make_batches(PairLengths pairs, int64_t tokens, int32_t vocabulary);

}  // namespace calque
