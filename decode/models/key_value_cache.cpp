#include "decode/models/key_value_cache.h"

#include "core/ops.h"
#include "core/ops/attention/cached_attention.h"

namespace calque {

void KeyValueCache::follow(const DecodingStep& step) {
  const size_t rows = step.ids.size();
  std::vector<int32_t> history;
  for (size_t r = 0; r < rows; ++r) {
    if (steps_ > 0) {
      const auto parent = history_.begin() + step.parents[r] * steps_;
      history.insert(history.end(), parent, parent + steps_);
    }
    history.push_back(static_cast<int32_t>(r));
  }
  history_ = std::move(history);
  rows_ = Segments::of_lengths(std::vector<int32_t>(rows, 1));
  positions_.assign(rows, static_cast<int32_t>(steps_));
  ++steps_;
}

Tensor KeyValueCache::attend_to_cache(size_t number, const SelfAttention& attention,
                                      const Tensor& h) {
  const int64_t d = attention.query_columns(), kd = attention.key_columns(), rows = h.rows();
  std::vector<Tensor>& written = layers_[number];
  const Tensor qkv = attention.project(h, rows_, positions_);
  written.push_back(slice_cols(qkv, d, qkv.cols()));
  CachedRows cached{.rows = {}, .starts = {0}, .value_offset = kd};
  cached.rows.reserve(rows * steps_);
  for (int64_t r = 0; r < rows; ++r) {
    const auto key = [&](int64_t t) {
      return written[t].data() + history_[r * steps_ + t] * (2 * kd);
    };
    for (const KeyRange& range :
         keys_seen(attention.options.sparsity, positions_[r], steps_, true)) {
      for (int64_t t = range.begin; t < range.end; t += range.step) cached.rows.push_back(key(t));
    }
    cached.starts.push_back(std::ssize(cached.rows));
  }
  return attention.output(cached_attention(qkv.data(), qkv.cols(), d, attention.options, cached));
}

}  // namespace calque
