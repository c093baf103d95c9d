#pragma once
// How often the words of a text occur, in a table of fixed size: enough to tell whether two texts
// are in the same language.

#include <cstdint>
#include <string_view>
#include <vector>

namespace calque {

class WordProfile {
 public:
  void add(std::string_view text);

  // The cosine between the two tables of square roots of counts: 1 for the same words equally
  // often, 0 for no word in common. The roots keep the few most frequent words from deciding alone.
  double similarity(const WordProfile& other) const;

 private:
  std::vector<int64_t> counts_ = std::vector<int64_t>(1 << 16);
};

}  // namespace calque
