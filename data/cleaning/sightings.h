#pragma once
// How often something was seen in a corpus, and the first places.

#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <vector>

#include "data/corpora/corpus.h"

namespace calque {

struct Sightings {
  int64_t count = 0;
  std::vector<std::string> first = {};

  void add(const Corpus& corpus, int64_t index, int column) {
    constexpr int64_t shown = 3;
    if (count++ < shown) first.push_back(corpus.where(index, column));
  }
  // " (first: train.en:3, train.en:8)", or nothing.
  std::string places() const {
    return first.empty() ? "" : fmt::format(" (first: {})", fmt::join(first, ", "));
  }
};

}  // namespace calque
