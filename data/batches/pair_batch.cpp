#include "data/batches/pair_batch.h"

#include "core/error.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {

int32_t append_source(std::span<const int32_t> source, bool source_end, std::vector<int32_t>& ids) {
  const bool ends = source_end || source.empty();
  ids.insert(ids.end(), source.begin(), source.end());
  if (ends) ids.push_back(end_id);
  return static_cast<int32_t>(source.size()) + (ends ? 1 : 0);
}

void append_pair(std::span<const int32_t> source, std::span<const int32_t> target, PairBatch& batch,
                 bool source_end) {
  batch.source_segments.append(append_source(source, source_end, batch.source));

  batch.decoder_input.push_back(begin_id);
  batch.decoder_input.insert(batch.decoder_input.end(), target.begin(), target.end());
  batch.expected.insert(batch.expected.end(), target.begin(), target.end());
  batch.expected.push_back(end_id);
  batch.target_segments.append(static_cast<int32_t>(target.size()) + 1);
}

PairBatch make_pair_batch(std::span<const Example> pairs, bool source_end) {
  PairBatch batch;
  for (const Example& pair : pairs) {
    require(pair.size() == 2, "make_pair_batch: an example of {} columns", pair.size());
    append_pair(pair[0], pair[1], batch, source_end);
  }
  return batch;
}

}  // namespace calque
