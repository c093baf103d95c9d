#pragma once
// What a training step takes: the tokens of all its sentences one after the other, and where each
// sentence starts. There is no padding.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/segments.h"
#include "data/token_store.h"

namespace calque {

struct Batch {
  std::vector<int32_t> source;  // [source tokens]  each sentence + </s>
  Segments source_segments;
  std::vector<int32_t> decoder_input;  // [target tokens]  <s> + each sentence
  std::vector<int32_t> expected;       // [target tokens]  each sentence + </s>
  Segments target_segments;
  std::vector<int64_t> lines;  // [sentences]  corpus indices

  int64_t sentences() const { return static_cast<int64_t>(lines.size()); }
  bool operator==(const Batch&) const = default;
};

// Gives a pair other tokens in each epoch, the same ones whenever it is asked for the same epoch.
// Batches are planned without it.
using PairVariation = std::function<void(int64_t epoch, int64_t pair, TokenPair& tokens)>;

// The pairs of the store with these numbers, in this order; as they are in that epoch if they vary.
Batch make_batch(const TokenStore& store, std::span<const uint32_t> pairs,
                 const PairVariation& vary = {}, int64_t epoch = 0);

// One more pair at the end of a batch; ids without special symbols.
void append_pair(std::span<const int32_t> source, std::span<const int32_t> target, int64_t line,
                 Batch& batch);

}  // namespace calque
