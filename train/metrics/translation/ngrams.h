#pragma once
// Counts the n-grams that a hypothesis shares with its references. An n-gram is identified by the
// number of the pair (number of its first n-1 symbols, its last symbol). So n-grams of any length
// and any kind of symbol are compared exactly, and one pass over the sequences computes the numbers
// for n from those for n-1.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace calque {

// Numbers keys 0, 1, 2, ... in the order of first appearance. This hash table is cleared for every
// sentence without touching its slots.
template <class Key>
class Numbering {
 public:
  int32_t number(const Key& key) {
    if (2 * static_cast<size_t>(count_) >= slots_.size()) grow();
    return place(key, count_);
  }
  int32_t count() const { return count_; }
  void clear() {
    count_ = 0;
    if (++round_ != 0) return;
    slots_.assign(slots_.size(), {});
    round_ = 1;
  }

 private:
  struct Slot {
    Key key{};
    uint32_t round = 0;  // the slot is in use if this is the round of the table
    int32_t number = 0;
  };

  // The number of the key; a new key gets `fresh`.
  int32_t place(const Key& key, int32_t fresh) {
    const uint64_t hash = std::hash<Key>{}(key)*0x9E3779B97F4A7C15;
    const size_t mask = slots_.size() - 1;
    for (size_t at = (hash >> 32) & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.round != round_) {
        slot = {key, round_, fresh};
        ++count_;
        return fresh;
      }
      if (slot.key == key) return slot.number;
    }
  }
  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(std::max<size_t>(64, 2 * old.size()), {});
    count_ = 0;
    for (const Slot& slot : old) {
      if (slot.round == round_) place(slot.key, slot.number);
    }
  }

  std::vector<Slot> slots_;
  uint32_t round_ = 1;
  int32_t count_ = 0;
};

class NgramMatcher {
 public:
  // Sequence 0 is the hypothesis, the others are its references. Sets the order n to 0.
  void start(std::span<const std::vector<int32_t>> sequences);
  // Increments n.
  void next_order();

  // The number of n-grams of a sequence.
  int64_t total(size_t sequence) const { return static_cast<int64_t>(names_[sequence].size()); }
  // The number of n-grams of the hypothesis that also occur in the reference. An n-gram counts at
  // most as often as it occurs in the reference.
  int64_t common(size_t reference);
  // The same for all references together: an n-gram counts at most as often as it occurs in the
  // reference that has it most often.
  int64_t common_with_any();

 private:
  void count(size_t sequence, std::vector<int32_t>& counts) const;

  std::span<const std::vector<int32_t>> symbols_;
  std::vector<std::vector<int32_t>> names_;  // [sequence, first symbol]: the n-gram's number
  size_t order_ = 0;
  Numbering<uint64_t> numbering_;
  std::vector<int32_t> in_hypothesis_, in_reference_, most_;
};

}  // namespace calque
