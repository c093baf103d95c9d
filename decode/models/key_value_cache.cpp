#include "decode/models/key_value_cache.h"

#include "core/ops.h"
#include "core/ops/attention/cached_attention.h"

namespace calque {

// Later steps need only the keys and values. These are kept contiguous, without the queries,
// because loading them from memory takes most of the time of attention.
Tensor KeyValueCache::read_prompts(size_t number, const SelfAttention& attention, const Tensor& h) {
  const Tensor qkv = attention.project(h, prompts_);
  layers_[number].prompts = slice_cols(qkv, attention.query_columns(), qkv.cols());
  return attention.output(
      self_attention(qkv, prompts_, attention.attention_options(Mode::evaluate)));
}

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
  items_ = step.items;
  rows_ = Segments::of_lengths(std::vector<int32_t>(rows, 1));
  positions_.assign(rows, static_cast<int32_t>(steps_));
  if (prompts_.count() > 0) {
    for (size_t r = 0; r < rows; ++r) positions_[r] += prompts_.length(items_[r]);
  }
  ++steps_;
}

Tensor KeyValueCache::attend_to_cache(size_t number, const SelfAttention& attention,
                                      const Tensor& h) {
  const int64_t d = attention.query_columns(), kd = attention.key_columns(), rows = h.rows();
  Layer& layer = layers_[number];
  const Tensor qkv = attention.project(h, rows_, positions_);
  layer.written.push_back(slice_cols(qkv, d, qkv.cols()));
  CachedRows cached{.rows = {}, .starts = {0}, .value_offset = kd};
  cached.rows.reserve(rows * steps_);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t prompt = positions_[r] + 1 - steps_;  // its number of tokens
    const auto key = [&](int64_t t) {
      return t < prompt
                 ? layer.prompts.data() + (prompts_.begin(items_[r]) + t) * (2 * kd)
                 : layer.written[t - prompt].data() + history_[r * steps_ + t - prompt] * (2 * kd);
    };
    const int64_t read = positions_[r] + 1;
    for (const KeyRange& range : keys_seen(attention.options.sparsity, positions_[r], read, true)) {
      for (int64_t t = range.begin; t < range.end; t += range.step) cached.rows.push_back(key(t));
    }
    cached.starts.push_back(std::ssize(cached.rows));
  }
  return attention.output(cached_attention(qkv.data(), qkv.cols(), d, attention.options, cached));
}

}  // namespace calque
