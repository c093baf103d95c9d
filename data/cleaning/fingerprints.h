#pragma once
// A set of 64-bit hashes in one table: at most 32 bytes for each, and 24 on average.

#include <cstdint>
#include <utility>
#include <vector>

namespace calque {

class Fingerprints {
 public:
  // Returns false if the set has it already.
  bool insert(uint64_t hash) {
    if (2 * (count_ + 1) > table_.size()) grow();
    if (!place(hash == 0 ? 1 : hash)) return false;
    ++count_;
    return true;
  }

 private:
  bool place(uint64_t hash) {
    const size_t mask = table_.size() - 1;
    size_t at = hash & mask;
    while (table_[at] != 0 && table_[at] != hash) at = (at + 1) & mask;
    return std::exchange(table_[at], hash) == 0;
  }

  void grow() {
    const std::vector<uint64_t> old = std::exchange(table_, {});
    table_.resize(2 * old.size() + (old.empty() ? 1024 : 0));
    for (const uint64_t hash : old) {
      if (hash != 0) place(hash);
    }
  }

  std::vector<uint64_t> table_;  // 0: free
  size_t count_ = 0;
};

}  // namespace calque
