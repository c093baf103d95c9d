#pragma once
// The bounds of sentences in a packed sequence of tokens: sentence i has the tokens
// [offsets[i], offsets[i + 1]). There is no padding, and a sentence may be empty.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/error.h"

namespace calque {

class Segments {
 public:
  Segments() : offsets_{0} {}

  // From the lengths of the sentences: of_lengths(std::vector{3, 0, 5}) has offsets 0, 3, 3, 8.
  static Segments of_lengths(std::span<const int32_t> lengths) {
    Segments segments;
    segments.offsets_.reserve(lengths.size() + 1);
    for (const int32_t length : lengths) segments.append(length);
    return segments;
  }

  // Adds a sentence at the end.
  void append(int32_t length) {
    require(length >= 0, "Segments: the length {} is negative", length);
    require(length <= std::numeric_limits<int32_t>::max() - offsets_.back(),
            "Segments: {} tokens and {} more exceed the range of int32", tokens(), length);
    offsets_.push_back(offsets_.back() + length);
  }

  int64_t count() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  int64_t tokens() const { return offsets_.back(); }
  int32_t begin(int64_t sentence) const { return offsets_[sentence]; }
  int32_t end(int64_t sentence) const { return offsets_[sentence + 1]; }
  int32_t length(int64_t sentence) const { return end(sentence) - begin(sentence); }
  int32_t longest() const {
    int32_t most = 0;
    for (int64_t i = 0; i < count(); ++i) most = std::max(most, length(i));
    return most;
  }
  const std::vector<int32_t>& offsets() const { return offsets_; }
  bool operator==(const Segments&) const = default;

 private:
  std::vector<int32_t> offsets_;
};

}  // namespace calque
