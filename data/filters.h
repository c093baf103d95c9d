#pragma once
// Which pairs a run leaves out, and the account of it: every dropped pair has one reason, each
// reason its count and the place where it came up first.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace calque {

enum class Drop { none, empty, invalid, too_long, ratio, duplicate };
inline constexpr int drop_kinds = 6;

enum class InvalidText { error, skip };

struct FilterOptions {
  int32_t max_length = 256;                  // tokens of either side, without </s>; 0 = any
  double max_length_ratio = 0;               // longer side / shorter side, in tokens; 0 = any
  bool drop_duplicates = false;              // pairs whose two texts occurred before
  InvalidText invalid = InvalidText::error;  // not UTF-8
};

// For validation and test: every pair that is text stays.
inline FilterOptions keeping_all(InvalidText invalid) {
  return {.max_length = 0, .invalid = invalid};
}

// Drop::none, empty, too_long or ratio.
Drop judge_lengths(int64_t source_tokens, int64_t target_tokens, const FilterOptions& options);

struct DropTally {
  struct Reason {
    int64_t count = 0;
    std::string first;  // where
    bool operator==(const Reason&) const = default;
  };
  std::array<Reason, drop_kinds> reasons;  // by Drop; the first is unused

  void add(Drop reason, const std::string& where);
  int64_t total() const;
  const Reason& of(Drop reason) const { return reasons[static_cast<int>(reason)]; }
  bool operator==(const DropTally&) const = default;

  // "12 too long (first: train.en:17), 3 with an empty side (first: train.de:40)", or "none".
  std::string text() const;
};

// The hashes seen so far, for finding duplicates: 16 bytes each at most.
class HashSet {
 public:
  // False if it was there already.
  bool insert(uint64_t hash);
  bool contains(uint64_t hash) const { return slots_[slot_of(hash)] == nonzero(hash); }
  int64_t size() const { return size_; }

 private:
  static uint64_t nonzero(uint64_t hash) { return hash == 0 ? 1 : hash; }
  size_t slot_of(uint64_t hash) const;
  void grow();

  std::vector<uint64_t> slots_ = std::vector<uint64_t>(1024);  // 0 = free
  int64_t size_ = 0;
};

}  // namespace calque
