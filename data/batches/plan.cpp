#include "data/batches/plan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

#include "core/error.h"
#include "core/random.h"

namespace calque {
namespace {

constexpr uint32_t batch_order_use = 0x0da7a003;

std::vector<uint32_t> order_of(std::span<const int32_t> costs, std::span<const SharedRange> parts,
                               const BatchOptions& options, int64_t epoch) {
  if (!options.shuffle) {
    std::vector<uint32_t> order(costs.size());
    std::iota(order.begin(), order.end(), 0u);
    return order;
  }
  double examples = 0;
  for (const SharedRange& part : parts) {
    if (part.share.has(epoch)) examples += part.share.weight * static_cast<double>(part.count);
  }
  if (examples > std::numeric_limits<uint32_t>::max()) {
    fail("{}: the weights give {:.3g} examples per epoch, which is too many; lower the weights",
         parts.front().name, examples);
  }
  return epoch_order(parts, options.seed, epoch);
}

// Counting sort, which keeps the shuffled order among examples of the same cost.
void sort_by_cost(std::span<const int32_t> costs, std::vector<uint32_t>& order) {
  int32_t highest = 0;
  for (const uint32_t example : order) highest = std::max(highest, costs[example]);
  std::vector<size_t> next(static_cast<size_t>(highest) + 2);
  for (const uint32_t example : order) ++next[static_cast<size_t>(costs[example]) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<uint32_t> sorted(order.size());
  for (const uint32_t example : order) sorted[next[costs[example]]++] = example;
  order = std::move(sorted);
}

}  // namespace

void require_fit(std::span<const int32_t> costs, const BatchOptions& options,
                 const std::function<std::string(int64_t example)>& where) {
  if (options.tokens == 0) return;
  const auto too_large = std::ranges::find_if(costs, [&](int32_t c) { return c > options.tokens; });
  if (too_large == costs.end()) return;
  constexpr auto fix = "raise the batch size or lower the maximum length";
  fail("{}: {} tokens do not fit into a batch of {}; {}", where(too_large - costs.begin()),
       *too_large, options.tokens, fix);
}

BatchPlan::BatchPlan(std::span<const int32_t> costs, std::span<const SharedRange> parts,
                     const BatchOptions& options, int64_t epoch)
    : order_(order_of(costs, parts, options, epoch)) {
  require(options.ranks > 0 && options.rank >= 0 && options.rank < options.ranks,
          "BatchPlan: rank {} of {}", options.rank, options.ranks);
  require(options.tokens > 0 || options.examples > 0, "BatchPlan: no limit to a batch's size");
  if (options.shuffle) sort_by_cost(costs, order_);
  cut(costs, options);
  split_until_divisible(options.ranks);
  if (options.shuffle) {
    const auto step = static_cast<uint32_t>(epoch);
    Random({.seed = options.seed, .step = step, .use = batch_order_use}).shuffle(batches_);
  }
  const size_t own = batches_.size() / options.ranks;
  for (size_t i = 0; i < own; ++i) batches_[i] = batches_[i * options.ranks + options.rank];
  batches_.resize(own);
}

void BatchPlan::cut(std::span<const int32_t> costs, const BatchOptions& options) {
  int64_t tokens = 0;
  Range batch{0, 0};
  for (const uint32_t example : order_) {
    const int64_t more = costs[example];
    require(options.tokens == 0 || more <= options.tokens || !options.shuffle,
            "BatchPlan: example {} of {} tokens in a batch of {}", example, more, options.tokens);
    const bool full = (options.tokens > 0 && tokens + more > options.tokens) ||
                      (options.examples > 0 && batch.size() >= options.examples);
    if (full && batch.size() > 0) {
      batches_.push_back(batch);
      batch.begin = batch.end;
      tokens = 0;
    }
    ++batch.end;
    tokens += more;
  }
  if (batch.size() > 0) batches_.push_back(batch);
}

// Halves the batch with the most examples until the number of batches is divisible by the ranks.
void BatchPlan::split_until_divisible(int64_t ranks) {
  const int64_t count = std::ssize(batches_);
  int64_t missing = (ranks - count % ranks) % ranks;
  if (missing == 0) return;
  if (std::ssize(order_) < ranks) {
    fail("{} examples cannot be shared among {} ranks; start fewer", order_.size(), ranks);
  }
  std::priority_queue<std::pair<uint32_t, size_t>> largest;
  for (size_t i = 0; i < batches_.size(); ++i) largest.emplace(batches_[i].size(), i);
  for (; missing > 0; --missing) {
    const size_t chosen = largest.top().second;
    largest.pop();
    Range& first = batches_[chosen];
    const Range second{first.begin + first.size() / 2, first.end};
    first.end = second.begin;
    largest.emplace(first.size(), chosen);
    largest.emplace(second.size(), batches_.size());
    batches_.push_back(second);
  }
}

}  // namespace calque
