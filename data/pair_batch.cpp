#include "data/pair_batch.h"

#include "core/error.h"
#include "data/vocabulary.h"

namespace calque {

void append_pair(std::span<const int32_t> source, std::span<const int32_t> target,
                 PairBatch& batch) {
  batch.source.insert(batch.source.end(), source.begin(), source.end());
  batch.source.push_back(end_id);
  batch.source_segments.append(static_cast<int32_t>(source.size()) + 1);

  batch.decoder_input.push_back(begin_id);
  batch.decoder_input.insert(batch.decoder_input.end(), target.begin(), target.end());
  batch.expected.insert(batch.expected.end(), target.begin(), target.end());
  batch.expected.push_back(end_id);
  batch.target_segments.append(static_cast<int32_t>(target.size()) + 1);
}

PairBatch make_pair_batch(std::span<const Example> pairs) {
  PairBatch batch;
  for (const Example& pair : pairs) {
    require(pair.size() == 2, "make_pair_batch: an example of {} columns", pair.size());
    append_pair(pair[0], pair[1], batch);
  }
  return batch;
}

}  // namespace calque
