#include "data/parallel/word_translations.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/threads/parallel.h"

namespace calque {
namespace {

constexpr double unit = 1 << 20;

// Source words count from 1; 0 is the empty word. No key is 0.
uint64_t pair_key(int32_t source, int32_t target) {
  return static_cast<uint64_t>(source) << 32 | (static_cast<uint64_t>(target) + 1);
}

int32_t source_of(uint64_t key) { return static_cast<int32_t>(key >> 32); }
int32_t target_of(uint64_t key) { return static_cast<int32_t>(key & 0xFFFFFFFF) - 1; }

uint64_t mixed(uint64_t key) {
  key *= 0x9E3779B97F4A7C15;
  return key ^ key >> 29;
}

}  // namespace

size_t WordTranslations::find(int32_t source, int32_t target) const {
  const uint64_t key = pair_key(source, target);
  const size_t mask = keys_.size() - 1;
  size_t at = mixed(key) & mask;
  while (keys_[at] != 0 && keys_[at] != key) at = (at + 1) & mask;
  return at;
}

void WordTranslations::insert(int32_t source, int32_t target) {
  if (2 * used_ >= keys_.size()) grow();
  const size_t at = find(source, target);
  used_ += keys_[at] == 0;
  keys_[at] = pair_key(source, target);
}

void WordTranslations::grow() {
  const std::vector<uint64_t> old = std::exchange(keys_, {});
  keys_.resize(old.empty() ? 1024 : 2 * old.size());
  for (const uint64_t key : old) {
    if (key == 0) continue;
    keys_[find(source_of(key), target_of(key))] = key;
  }
}

WordTranslations::WordTranslations(std::span<const AlignedIds> pairs, int iterations) {
  grow();
  int32_t most = 0;
  for (const auto& [source, target] : pairs) {
    for (const int32_t word : target) {
      insert(0, word);
      for (const int32_t other : source) insert(other + 1, word);
    }
    for (const int32_t word : source) most = std::max(most, word + 1);
  }
  totals_.resize(most + 1);
  probabilities_.assign(keys_.size(), 1);  // uniform: only ratios matter
  for (int i = 0; i < iterations; ++i) iterate(pairs);
}

void WordTranslations::iterate(std::span<const AlignedIds> pairs) {
  constexpr int64_t chunk = 256;
  std::vector<uint64_t> counts(keys_.size());
  parallel_for(std::ssize(pairs), chunk, [&](int64_t begin, int64_t end) {
    std::vector<size_t> cells;
    for (const auto& [source, target] : pairs.subspan(begin, end - begin)) {
      for (const int32_t word : target) {
        cells.assign(1, find(0, word));
        for (const int32_t other : source) cells.push_back(find(other + 1, word));
        double sum = 0;
        for (const size_t cell : cells) sum += probabilities_[cell];
        for (const size_t cell : cells) {
          const auto share = static_cast<uint64_t>(unit * probabilities_[cell] / sum);
          std::atomic_ref(counts[cell]).fetch_add(share, std::memory_order_relaxed);
        }
      }
    }
  });
  std::ranges::fill(totals_, 0);
  for (size_t i = 0; i < keys_.size(); ++i) totals_[source_of(keys_[i])] += counts[i];
  for (size_t i = 0; i < keys_.size(); ++i) {
    const uint64_t total = totals_[source_of(keys_[i])];
    const double share = static_cast<double>(counts[i]) / static_cast<double>(total);
    probabilities_[i] = total == 0 ? 0 : static_cast<float>(share);
  }
}

void WordTranslations::for_each(const std::function<void(int32_t, int32_t, double)>& body) const {
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (source_of(keys_[i]) == 0) continue;  // free, or the empty word
    body(source_of(keys_[i]) - 1, target_of(keys_[i]), double(probabilities_[i]));
  }
}

double WordTranslations::count(int32_t source) const {
  const auto at = static_cast<size_t>(source) + 1;
  return at < totals_.size() ? static_cast<double>(totals_[at]) / unit : 0;
}

}  // namespace calque
