#include "core/sparsity.h"

#include <algorithm>

#include "core/random.h"

namespace calque {
namespace {

// Blocks are numbered from the first token after the global ones.
int64_t block_of(const Sparsity& s, int64_t token) { return (token - s.global) / s.block; }
int64_t begin_of(const Sparsity& s, int64_t block) { return s.global + block * s.block; }

// The window of one query, without global keys.
KeyRange window_of(const Sparsity& s, int64_t query, int64_t length, bool causal) {
  const int64_t left = std::min(s.window, (query - s.global) / s.dilation);
  const int64_t right = causal ? 0 : std::min(s.window, (length - 1 - query) / s.dilation);
  return {query - left * s.dilation, query + right * s.dilation + 1, s.dilation};
}

}  // namespace

Sparsity Sparsity::at_layer(int64_t number) const {
  Sparsity own = *this;
  own.layer = number;
  if (full_every > 0 && (number + 1) % full_every == 0) own.window = 0;
  if (number < dilated_from) own.dilation = 1;
  return own;
}

std::vector<KeyRange> random_ranges(const Sparsity& s, int64_t query, int64_t length, bool causal) {
  if (s.random == 0 || query < s.global) return {};
  const int64_t own = block_of(s, query);
  // Candidates: blocks before the window of the block's first query and after that of its last
  // query.
  const int64_t first = std::max(s.global, begin_of(s, own) - s.reach());
  const int64_t last = std::min(length, begin_of(s, own + 1) + s.reach()) - 1;
  const int64_t before = block_of(s, first);
  const int64_t after =
      causal ? 0 : std::max<int64_t>(0, block_of(s, length - 1) - block_of(s, last));
  std::vector<int64_t> blocks;
  const auto add = [&](int64_t candidate) {
    blocks.push_back(candidate < before ? candidate : block_of(s, last) + 1 + candidate - before);
  };
  if (before + after <= s.random) {
    for (int64_t candidate = 0; candidate < before + after; ++candidate) add(candidate);
  } else {
    static const auto use = static_cast<uint32_t>(hash_text("random blocks of attention"));
    Random random({.seed = static_cast<uint64_t>(s.seed),
                   .step = static_cast<uint32_t>(s.layer),
                   .part = static_cast<uint32_t>(own),
                   .use = use});
    std::vector<int64_t> drawn;
    while (std::ssize(drawn) < s.random) {
      const auto candidate =
          static_cast<int64_t>(random.below(static_cast<uint64_t>(before + after)));
      if (std::ranges::find(drawn, candidate) == drawn.end()) drawn.push_back(candidate);
    }
    std::ranges::for_each(drawn, add);
    std::ranges::sort(blocks);
  }
  std::vector<KeyRange> ranges;
  for (const int64_t block : blocks) {
    ranges.push_back({begin_of(s, block), std::min(length, begin_of(s, block + 1))});
  }
  return ranges;
}

std::vector<KeyRange> keys_seen(const Sparsity& s, int64_t query, int64_t length, bool causal) {
  if (!s.restricts(causal ? query + 1 : length) || query < s.global) {
    return {{0, causal ? query + 1 : length}};
  }
  std::vector<KeyRange> ranges = random_ranges(s, query, length, causal);
  if (s.global > 0) ranges.insert(ranges.begin(), {0, s.global});
  ranges.push_back(window_of(s, query, length, causal));
  return ranges;
}

int64_t end_of_like_queries(const Sparsity& s, int64_t query, int64_t length) {
  if (query < s.global) return std::min(s.global, length);
  return s.random > 0 ? std::min(begin_of(s, block_of(s, query) + 1), length) : length;
}

double pairs_seen(const Sparsity& s, int64_t length, bool causal) {
  const auto n = static_cast<double>(length);
  if (!s.restricts(length)) return causal ? n * (n + 1) / 2 : n * n;
  double pairs = 0;
  for (int64_t i = 0; i < length;) {
    const int64_t end = end_of_like_queries(s, i, length);
    double all = i < s.global ? 0 : static_cast<double>(s.global);
    for (const KeyRange& range : random_ranges(s, i, length, causal)) {
      all += static_cast<double>(range.count());
    }
    pairs += all * static_cast<double>(end - i);
    for (; i < end; ++i) {
      const int64_t own =
          i < s.global ? (causal ? i + 1 : length) : window_of(s, i, length, causal).count();
      pairs += static_cast<double>(own);
    }
  }
  return pairs;
}

}  // namespace calque
