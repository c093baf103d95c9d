#include "data/filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace calque {
namespace {

constexpr std::array<const char*, drop_kinds> phrases = {
    "",         "with an empty side",      "not valid UTF-8",
    "too long", "of too unequal a length", "seen before"};

}  // namespace

Drop judge_lengths(int64_t source_tokens, int64_t target_tokens, const FilterOptions& options) {
  const auto [shorter, longer] = std::minmax(source_tokens, target_tokens);
  if (shorter == 0) return Drop::empty;
  if (options.max_length > 0 && longer > options.max_length) return Drop::too_long;
  const double ratio = static_cast<double>(longer) / static_cast<double>(shorter);
  if (options.max_length_ratio > 0 && ratio > options.max_length_ratio) return Drop::ratio;
  return Drop::none;
}

void DropTally::add(Drop reason, const std::string& where) {
  Reason& entry = reasons[static_cast<int>(reason)];
  if (entry.count++ == 0) entry.first = where;
}

int64_t DropTally::total() const {
  int64_t sum = 0;
  for (const Reason& reason : reasons) sum += reason.count;
  return sum;
}

std::string DropTally::text() const {
  std::string out;
  for (int i = 1; i < drop_kinds; ++i) {
    const Reason& reason = reasons[i];
    if (reason.count == 0) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {} (first: {})", reason.count, phrases[i], reason.first);
  }
  return out.empty() ? "none" : out;
}

bool HashSet::insert(uint64_t hash) {
  uint64_t& slot = slots_[slot_of(hash)];
  if (slot != 0) return false;
  slot = nonzero(hash);
  if (++size_ * 2 > static_cast<int64_t>(slots_.size())) grow();
  return true;
}

// Where the hash is, or would be put: the first such or free slot from its own on.
size_t HashSet::slot_of(uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = nonzero(hash) & mask;
  while (slots_[slot] != 0 && slots_[slot] != nonzero(hash)) slot = (slot + 1) & mask;
  return slot;
}

void HashSet::grow() {
  const std::vector<uint64_t> old = std::exchange(slots_, std::vector<uint64_t>(slots_.size() * 2));
  for (const uint64_t hash : old) {
    if (hash != 0) slots_[slot_of(hash)] = hash;
  }
}

}  // namespace calque
