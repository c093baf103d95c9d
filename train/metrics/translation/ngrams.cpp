#include "train/metrics/translation/ngrams.h"

#include <algorithm>

namespace calque {
namespace {

int64_t clipped(std::span<const int32_t> counts, std::span<const int32_t> limits) {
  int64_t sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) sum += std::min(counts[i], limits[i]);
  return sum;
}

}  // namespace

void NgramMatcher::start(std::span<const std::vector<int32_t>> sequences) {
  symbols_ = sequences;
  order_ = 0;
  names_.resize(sequences.size());
  for (size_t s = 0; s < sequences.size(); ++s) names_[s].assign(sequences[s].size() + 1, 0);
}

void NgramMatcher::next_order() {
  numbering_.clear();
  for (size_t s = 0; s < symbols_.size(); ++s) {
    std::vector<int32_t>& names = names_[s];
    if (names.empty()) continue;
    names.pop_back();
    for (size_t i = 0; i < names.size(); ++i) {
      const auto first = static_cast<uint32_t>(names[i]);
      const auto last = static_cast<uint32_t>(symbols_[s][i + order_]);
      names[i] = numbering_.number(uint64_t{first} << 32 | last);
    }
  }
  ++order_;
  count(0, in_hypothesis_);
}

int64_t NgramMatcher::common(size_t reference) {
  count(reference, in_reference_);
  return clipped(in_hypothesis_, in_reference_);
}

int64_t NgramMatcher::common_with_any() {
  most_.assign(in_hypothesis_.size(), 0);
  for (size_t s = 1; s < symbols_.size(); ++s) {
    count(s, in_reference_);
    for (size_t i = 0; i < most_.size(); ++i) most_[i] = std::max(most_[i], in_reference_[i]);
  }
  return clipped(in_hypothesis_, most_);
}

void NgramMatcher::count(size_t sequence, std::vector<int32_t>& counts) const {
  counts.assign(static_cast<size_t>(numbering_.count()), 0);
  for (const int32_t name : names_[sequence]) ++counts[static_cast<size_t>(name)];
}

}  // namespace calque
