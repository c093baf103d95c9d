#include "decode/models/text_keys.h"

#include <algorithm>

#include "core/error.h"
#include "core/ops/attention/cached_attention.h"
#include "core/segments.h"

namespace calque {
namespace {

// What the layers have in common in one pass.
struct Pass {
  std::span<const TokensToRead> texts;
  Segments segments;            // of the new tokens
  std::vector<int32_t> starts;  // the position of the first new token of each text
};

void keep_keys(size_t layer, const Pass& pass, const Tensor& qkv, int64_t queries) {
  const int64_t kept = qkv.cols() - queries;
  for (size_t i = 0; i < pass.texts.size(); ++i) {
    const int32_t first = pass.segments.begin(static_cast<int64_t>(i));
    for (int32_t row = first; row < pass.segments.end(static_cast<int64_t>(i)); ++row) {
      std::copy_n(qkv.data() + row * qkv.cols() + queries, kept,
                  pass.texts[i].text->row(layer, pass.starts[i] + row - first));
    }
  }
}

// The keys that each new token sees.
CachedRows rows_seen(size_t layer, const Pass& pass, const SelfAttention& attention) {
  CachedRows cached{.rows = {}, .starts = {0}, .value_offset = attention.key_columns()};
  std::vector<const real*> all;
  for (size_t i = 0; i < pass.texts.size(); ++i) {
    all.clear();
    pass.texts[i].text->append_rows(layer, all);
    for (int64_t at = pass.starts[i]; at < pass.texts[i].text->size(); ++at) {
      for (const KeyRange& seen : keys_seen(attention.options.sparsity, at, at + 1, true)) {
        for (int64_t t = seen.begin; t < seen.end; t += seen.step) cached.rows.push_back(all[t]);
      }
      cached.starts.push_back(std::ssize(cached.rows));
    }
  }
  return cached;
}

Tensor attend(size_t layer, const Pass& pass, const SelfAttention& attention, const Tensor& h) {
  const Tensor qkv = attention.project(h, pass.segments, pass.starts);
  const int64_t queries = attention.query_columns();
  keep_keys(layer, pass, qkv, queries);
  return attention.output(cached_attention(qkv.data(), qkv.cols(), queries, attention.options,
                                           rows_seen(layer, pass, attention)));
}

}  // namespace

KeyBlock::KeyBlock(const LanguageModel& model) {
  const auto& layers = model.stack.layers;
  const int64_t columns = layers.empty() ? 0 : 2 * layers.front().self_attention.key_columns();
  rows_ = Tensor({std::ssize(layers) * capacity, columns});
}

TextKeys::TextKeys(std::vector<std::shared_ptr<const KeyBlock>> blocks) {
  for (auto& block : blocks) {
    const int64_t begin = size();
    parts_.push_back({std::move(block), begin, begin + KeyBlock::capacity});
  }
}

TextKeys TextKeys::fork() {
  open_ = false;
  return *this;
}

void TextKeys::extend(const LanguageModel& model, int64_t tokens) {
  while (tokens > 0) {
    const int64_t used = parts_.empty() ? 0 : parts_.back().end - parts_.back().begin;
    if (!open_ || used == KeyBlock::capacity) {
      const int64_t begin = size();
      parts_.push_back({std::make_shared<KeyBlock>(model), begin, begin});
      open_ = true;
      continue;
    }
    const int64_t added = std::min(tokens, KeyBlock::capacity - used);
    parts_.back().end += added;
    tokens -= added;
  }
}

const TextKeys::Part& TextKeys::part_of(int64_t token) const {
  return *std::ranges::upper_bound(parts_, token, {}, &Part::end);
}

real* TextKeys::row(size_t layer, int64_t token) const {
  const Part& part = part_of(token);
  return part.block->row(layer, token - part.begin);
}

void TextKeys::append_rows(size_t layer, std::vector<const real*>& to) const {
  for (const Part& part : parts_) {
    for (int64_t t = 0; t < part.end - part.begin; ++t) to.push_back(part.block->row(layer, t));
  }
}

std::shared_ptr<const KeyBlock> TextKeys::full_block(int64_t token) const {
  const Part& part = part_of(token);
  require(part.begin == token && part.end == token + KeyBlock::capacity,
          "TextKeys: no full block begins with token {}", token);
  return part.block;
}

Tensor read_tokens(const LanguageModel& model, std::span<const TokensToRead> texts) {
  const NoGradient nothing_recorded;
  Pass pass{.texts = texts, .segments = {}, .starts = {}};
  std::vector<int32_t> ids;
  for (const TokensToRead& each : texts) {
    ids.insert(ids.end(), each.ids.begin(), each.ids.end());
    pass.segments.append(static_cast<int32_t>(each.ids.size()));
    pass.starts.push_back(static_cast<int32_t>(each.text->size()));
    each.text->extend(model, std::ssize(each.ids));
  }
  Tensor x = model.positions(model.embedding(ids), pass.segments, pass.starts);
  for (size_t i = 0; i < model.stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.stack.layers[i];
    x = layer.self_attention_residual(x, Mode::evaluate, [&](const Tensor& h) {
      return attend(i, pass, layer.self_attention, h);
    });
    x = layer.feed_forward_residual(
        x, Mode::evaluate, [&](const Tensor& h) { return layer.feed_forward(h, Mode::evaluate); });
  }
  return model.stack.norm ? (*model.stack.norm)(x) : x;
}

}  // namespace calque
