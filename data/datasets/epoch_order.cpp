#include "data/datasets/epoch_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/random.h"

namespace calque {
namespace {

enum ShuffleUse : uint32_t { round_use = 0x0da7a001, mix_use = 0x0da7a002 };

// The position at which an epoch begins in a range's endless sequence of shuffles.
int64_t begin_of_epoch(const SharedRange& range, int64_t epoch) {
  return std::llround(range.share.weight * static_cast<double>(range.count) *
                      static_cast<double>(epoch));
}

void append_shuffled(const SharedRange& range, uint64_t seed, uint32_t number, int64_t begin,
                     int64_t end, std::vector<uint32_t>& order) {
  std::vector<uint32_t> shuffled(range.count);
  while (begin < end) {
    const int64_t round = begin / range.count;
    std::iota(shuffled.begin(), shuffled.end(), static_cast<uint32_t>(range.first));
    Random random({.seed = seed,
                   .step = static_cast<uint32_t>(round),
                   .part = number,
                   .use = ShuffleUse::round_use});
    random.shuffle(shuffled);
    const int64_t from = begin % range.count;
    const int64_t take = std::min(end - begin, range.count - from);
    order.insert(order.end(), shuffled.begin() + from, shuffled.begin() + from + take);
    begin += take;
  }
}

}  // namespace

std::vector<uint32_t> epoch_order(std::span<const SharedRange> ranges, uint64_t seed,
                                  int64_t epoch) {
  require(epoch >= 0, "epoch_order: epoch {}", epoch);
  std::vector<uint32_t> order;
  uint32_t number = 0;
  for (const SharedRange& range : ranges) {
    if (range.count > 0 && range.share.has(epoch)) {
      append_shuffled(range, seed, number, begin_of_epoch(range, epoch),
                      begin_of_epoch(range, epoch + 1), order);
    }
    ++number;
  }
  if (ranges.size() > 1) {
    Random random({.seed = seed, .step = static_cast<uint32_t>(epoch), .use = ShuffleUse::mix_use});
    random.shuffle(order);
  }
  return order;
}

}  // namespace calque
