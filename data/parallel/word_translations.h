#pragma once
// IBM model 1 (Brown et al. 1993): the probability t(target | source) that a word translates a
// word, learned from aligned sentences alone by expectation and maximisation:
//   count(s, t) = sum over the pairs of t(t | s) / sum over the pair's source words s' of t(t | s')
// The counts are whole numbers of 2^-20, so that no sum depends on the number of threads.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace calque {

struct AlignedIds {
  std::span<const int32_t> source, target;  // not negative
};

class WordTranslations {
 public:
  // Each source has the empty word too. Memory: about 40 bytes for two words that occur together.
  WordTranslations(std::span<const AlignedIds> pairs, int iterations = 5);

  // 0 if the words never occur together.
  double probability(int32_t source, int32_t target) const { return of(source + 1, target); }
  // That the empty word is translated by this word.
  double probability_of_none(int32_t target) const { return of(0, target); }
  // Calls body(source, target, probability) for all words that occur together, in any order.
  void for_each(const std::function<void(int32_t, int32_t, double)>& body) const;
  // How often the source word is translated in all.
  double count(int32_t source) const;

 private:
  double of(int32_t source, int32_t target) const {
    const size_t at = find(source, target);
    return keys_[at] == 0 ? 0 : probabilities_[at];
  }
  size_t find(int32_t source, int32_t target) const;
  void insert(int32_t source, int32_t target);
  void grow();
  void iterate(std::span<const AlignedIds> pairs);

  std::vector<uint64_t> keys_;  // an open hash table; 0: free
  size_t used_ = 0;
  std::vector<float> probabilities_;
  std::vector<uint64_t> totals_;  // by source word; the first is the empty word
};

}  // namespace calque
