#include "decode/models/prefix_cache.h"

namespace calque {
namespace {

std::vector<int32_t> block_at(std::span<const int32_t> ids, size_t begin) {
  const auto block = ids.subspan(begin, KeyBlock::capacity);
  return {block.begin(), block.end()};
}

}  // namespace

// The entries of the blocks at the beginning of a text, up to the first that is not kept.
std::vector<PrefixCache::Order::iterator> PrefixCache::known(std::span<const int32_t> ids) {
  std::vector<Order::iterator> path;
  for (size_t begin = 0; begin + KeyBlock::capacity <= ids.size(); begin += KeyBlock::capacity) {
    const auto found =
        entries_.find(Key{path.empty() ? 0 : path.back()->number, block_at(ids, begin)});
    if (found == entries_.end()) break;
    path.push_back(found->second);
  }
  return path;
}

void PrefixCache::touch(const std::vector<Order::iterator>& path) {
  for (size_t i = path.size(); i-- > 0;) order_.splice(order_.begin(), order_, path[i]);
}

TextKeys PrefixCache::find(std::span<const int32_t> ids) {
  const std::lock_guard lock(mutex_);
  const std::vector<Order::iterator> path = known(ids);
  touch(path);
  std::vector<std::shared_ptr<const KeyBlock>> blocks;
  for (const Order::iterator& entry : path) blocks.push_back(entry->block);
  return TextKeys(std::move(blocks));
}

void PrefixCache::keep(std::span<const int32_t> beginning, std::shared_ptr<const KeyBlock> block) {
  const std::lock_guard lock(mutex_);
  std::vector<Order::iterator> path = known(beginning);
  const size_t begin = beginning.size() - KeyBlock::capacity;
  if (path.size() * KeyBlock::capacity != begin) return;
  counts_.bytes += block->bytes();
  const auto place = entries_.emplace(
      Key{path.empty() ? 0 : path.back()->number, block_at(beginning, begin)}, Order::iterator());
  order_.push_front({next_number_++, std::move(block), place.first});
  place.first->second = order_.begin();
  touch(path);
  while (counts_.bytes > limit_) {
    counts_.bytes -= order_.back().block->bytes();
    entries_.erase(order_.back().place);
    order_.pop_back();
  }
}

void PrefixCache::count(int64_t tokens) {
  const std::lock_guard lock(mutex_);
  ++counts_.texts;
  counts_.hits += tokens > 0 ? 1 : 0;
  counts_.tokens += tokens;
}

PrefixCache::Counts PrefixCache::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace calque
