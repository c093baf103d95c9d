#include "data/batch_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "data/epoch_order.h"

namespace calque {
namespace {

constexpr uint32_t batch_order_use = 0x0da7a003;

// What a pair takes of a batch's tokens.
int64_t cost(const TokenStore& store, uint32_t pair, BatchUnit unit) {
  const int64_t source = store.source_length(pair) + 1, target = store.target_length(pair) + 1;
  if (unit == BatchUnit::both) return source + target;
  return unit == BatchUnit::source ? source : target;
}

std::vector<uint32_t> order_of(const Dataset& dataset, const BatchOptions& options, int64_t epoch) {
  if (!options.shuffle) {
    std::vector<uint32_t> order(dataset.pairs());
    std::iota(order.begin(), order.end(), 0u);
    return order;
  }
  std::vector<SharedRange> ranges;
  double pairs = 0;
  for (const DatasetPart& part : dataset.parts) {
    if (part.share.has(epoch)) pairs += part.share.weight * static_cast<double>(part.pairs);
    ranges.push_back({.first = part.first_pair, .count = part.pairs, .share = part.share});
  }
  if (pairs > std::numeric_limits<uint32_t>::max()) {
    fail(
        "{}: an epoch has {:.3g} pairs by the weights of the corpora, which is too many; lower "
        "them",
        dataset.parts.front().name, pairs);
  }
  return epoch_order(ranges, options.seed, epoch);
}

// Counting sort, which keeps the shuffled order among pairs of the same cost.
void sort_by_cost(const TokenStore& store, BatchUnit unit, std::vector<uint32_t>& order) {
  int64_t highest = 0;
  for (const uint32_t pair : order) highest = std::max(highest, cost(store, pair, unit));
  std::vector<size_t> next(highest + 2);
  for (const uint32_t pair : order) ++next[cost(store, pair, unit) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<uint32_t> sorted(order.size());
  for (const uint32_t pair : order) sorted[next[cost(store, pair, unit)]++] = pair;
  order = std::move(sorted);
}

// Of all pairs, not only this epoch's: so that a run fails at its start or not at all.
void require_room_for_each(const Dataset& dataset, const BatchOptions& options) {
  if (options.tokens == 0) return;
  for (int64_t pair = 0; pair < dataset.pairs(); ++pair) {
    const int64_t tokens = cost(*dataset.tokens, static_cast<uint32_t>(pair), options.unit);
    if (tokens > options.tokens) {
      fail(
          "{}: {} tokens do not fit into a batch of {}; raise the batch size or lower the maximum "
          "length",
          dataset.where(dataset.tokens->line(pair)), tokens, options.tokens);
    }
  }
}

}  // namespace

BatchPlan::BatchPlan(const Dataset& dataset, const BatchOptions& options, int64_t epoch)
    : order_(order_of(dataset, options, epoch)) {
  require(options.ranks > 0 && options.rank >= 0 && options.rank < options.ranks,
          "BatchPlan: rank {} of {}", options.rank, options.ranks);
  require(options.tokens > 0 || options.sentences > 0, "BatchPlan: no limit to a batch's size");
  require_room_for_each(dataset, options);
  if (options.shuffle) sort_by_cost(*dataset.tokens, options.unit, order_);
  cut(dataset, options);
  split_until_divisible(options.ranks);
  if (options.shuffle) {
    Random random(
        {.seed = options.seed, .step = static_cast<uint32_t>(epoch), .use = batch_order_use});
    random.shuffle(batches_);
  }
  const size_t mine = batches_.size() / options.ranks;
  for (size_t i = 0; i < mine; ++i) batches_[i] = batches_[i * options.ranks + options.rank];
  batches_.resize(mine);
}

void BatchPlan::cut(const Dataset& dataset, const BatchOptions& options) {
  int64_t tokens = 0;
  Range batch{0, 0};
  for (const uint32_t pair : order_) {
    const int64_t more = cost(*dataset.tokens, pair, options.unit);
    const bool full = (options.tokens > 0 && tokens + more > options.tokens) ||
                      (options.sentences > 0 && batch.size() >= options.sentences);
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

// Halves the batch with the most sentences, and so on, until every rank gets as many batches.
void BatchPlan::split_until_divisible(int64_t ranks) {
  const int64_t count = std::ssize(batches_);
  int64_t missing = (ranks - count % ranks) % ranks;
  if (missing == 0) return;
  if (std::ssize(order_) < ranks) {
    fail("{} sentences cannot be shared among {} ranks; start fewer", order_.size(), ranks);
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
