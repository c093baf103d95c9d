#pragma once
// Pairs packed for an encoder-decoder model: the tokens of all pairs one after the other, without
// padding, and the segments of the pairs.

#include <cstdint>
#include <span>
#include <vector>

#include "core/segments.h"
#include "data/token_store.h"

namespace calque {

struct PairBatch {
  std::vector<int32_t> source;  // [source tokens]  each source + </s>
  Segments source_segments;
  std::vector<int32_t> decoder_input;  // [target tokens]  <s> + each target
  std::vector<int32_t> expected;       // [target tokens]  each target + </s>
  Segments target_segments;

  int64_t pairs() const { return source_segments.count(); }
  bool operator==(const PairBatch&) const = default;
};

// Requires examples of two columns: source and target.
PairBatch make_pair_batch(std::span<const Example> pairs);

// Requires ids without special symbols.
void append_pair(std::span<const int32_t> source, std::span<const int32_t> target,
                 PairBatch& batch);

}  // namespace calque
