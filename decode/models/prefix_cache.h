#pragma once
// The keys and values of beginnings of texts that a language model has read, kept for texts that
// begin alike. A beginning is a number of whole blocks. The memory is bounded: the blocks that were
// used longest ago go first. Calls may come from several threads.

#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "decode/models/text_keys.h"

namespace calque {

class PrefixCache {
 public:
  explicit PrefixCache(int64_t bytes) : limit_(bytes) {}

  // The longest known beginning of these tokens.
  TextKeys find(std::span<const int32_t> ids);
  // Keeps the last block of a beginning. Does nothing if an earlier block is no longer kept.
  void keep(std::span<const int32_t> beginning, std::shared_ptr<const KeyBlock> block);

  // Counts a text of which this many tokens were found.
  void count(int64_t tokens);
  struct Counts {
    int64_t texts = 0, hits = 0, tokens = 0;
    int64_t bytes = 0;  // in use
  };
  Counts counts() const;

 private:
  struct Entry;
  using Order = std::list<Entry>;
  // The number of the block before, 0 for the first block, and the tokens of the block.
  using Key = std::pair<int64_t, std::vector<int32_t>>;
  struct Entry {
    int64_t number;
    std::shared_ptr<const KeyBlock> block;
    std::map<Key, Order::iterator>::iterator place;
  };

  std::vector<Order::iterator> known(std::span<const int32_t> ids);
  void touch(const std::vector<Order::iterator>& path);

  const int64_t limit_;
  mutable std::mutex mutex_;
  std::map<Key, Order::iterator> entries_;
  Order order_;  // the last used first; a block is never behind the blocks after it in a text
  int64_t next_number_ = 1;
  Counts counts_;
};

}  // namespace calque
