#pragma once
// Pairs packed for an encoder-decoder model: the tokens of all pairs one after the other, without
// padding, and the segments of the pairs.

#include <cstdint>
#include <span>
#include <vector>

#include "core/segments.h"
#include "data/datasets/token_store.h"

namespace calque {

struct PairBatch {
  std::vector<int32_t> source;  // [source tokens]  each source, as append_source() ends it
  Segments source_segments;
  std::vector<int32_t> decoder_input;  // [target tokens]  <s> + each target
  std::vector<int32_t> expected;       // [target tokens]  each target + </s>
  Segments target_segments;

  int64_t pairs() const { return source_segments.count(); }
  bool operator==(const PairBatch&) const = default;
};

// Appends a source, and </s> if `source_end` is set or the source is empty: attention over no
// tokens is undefined. Returns how many ids were appended.
int32_t append_source(std::span<const int32_t> source, bool source_end, std::vector<int32_t>& ids);

// Requires examples of two columns: source and target.
PairBatch make_pair_batch(std::span<const Example> pairs, bool source_end = true);

// Requires ids without <s> and </s>.
void append_pair(std::span<const int32_t> source, std::span<const int32_t> target, PairBatch& batch,
                 bool source_end = true);

}  // namespace calque
