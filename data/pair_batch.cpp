#include "data/batch.h"

#include "data/vocabulary.h"

namespace calque {

void append_pair(std::span<const int32_t> source, std::span<const int32_t> target, int64_t line,
                 Batch& batch) {
  batch.source.insert(batch.source.end(), source.begin(), source.end());
  batch.source.push_back(end_id);
  batch.source_segments.append(static_cast<int32_t>(source.size()) + 1);

  batch.decoder_input.push_back(begin_id);
  batch.decoder_input.insert(batch.decoder_input.end(), target.begin(), target.end());
  batch.expected.insert(batch.expected.end(), target.begin(), target.end());
  batch.expected.push_back(end_id);
  batch.target_segments.append(static_cast<int32_t>(target.size()) + 1);

  batch.lines.push_back(line);
}

Batch make_batch(const TokenStore& store, std::span<const uint32_t> pairs,
                 const PairVariation& vary, int64_t epoch) {
  Batch batch;
  batch.lines.reserve(pairs.size());
  TokenPair tokens;
  for (const uint32_t pair : pairs) {
    store.read(pair, tokens);
    if (vary) vary(epoch, pair, tokens);
    append_pair(tokens.source, tokens.target, store.line(pair), batch);
  }
  return batch;
}

}  // namespace calque
