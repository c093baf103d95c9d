#include "data/word_profile.h"

#include <cmath>
#include <numeric>

#include "data/content_hash.h"
#include "data/symbol_model.h"

namespace calque {

void WordProfile::add(std::string_view text) {
  for_each_symbol(SymbolUnit::word, text, [this](std::string_view word) {
    ++counts_[content_hash(word) % counts_.size()];
  });
}

double WordProfile::similarity(const WordProfile& other) const {
  double shared = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    shared += std::sqrt(static_cast<double>(counts_[i]) * static_cast<double>(other.counts_[i]));
  }
  const auto sum = [](const std::vector<int64_t>& counts) {
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  };
  const double scale = std::sqrt(sum(counts_) * sum(other.counts_));
  return scale == 0 ? 0 : shared / scale;
}

}  // namespace calque
