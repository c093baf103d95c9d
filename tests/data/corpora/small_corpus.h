#pragma once
// A few hundred sentences for tests, made from a handful of words.

#include <string>
#include <vector>

#include "core/random.h"
#include "data/corpora/corpus.h"

namespace calque {

inline std::vector<Row> small_pairs(int count = 300, uint64_t seed = 1, int longest = 14) {
  const std::vector<Row> words = {{"The", "Die"},
                                  {"old", "alte"},
                                  {"house", "Haus"},
                                  {"a", "ein"},
                                  {"girl", "M\u00e4dchen"},
                                  {"sees", "sieht"},
                                  {"big", "gro\u00df"},
                                  {"dog", "Hund"},
                                  {"and", "und"},
                                  {"runs", "l\u00e4uft"},
                                  {"quickly", "schnell"},
                                  {"through", "durch"},
                                  {"street", "Stra\u00dfe"},
                                  {".", "."},
                                  {",", ","},
                                  {"twenty-three", "dreiundzwanzig"}};
  Random random({.seed = seed});
  std::vector<Row> pairs;
  for (int i = 0; i < count; ++i) {
    Row pair(2);
    const auto length = 1 + random.below(longest);
    for (uint64_t w = 0; w < length; ++w) {
      const Row& word = words[random.below(words.size())];
      pair[0] += (w ? " " : "") + word[0];
      pair[1] += (w ? " " : "") + word[1];
      if (random.below(8) == 0) pair[1] += " doch";
    }
    pairs.push_back(pair);
  }
  return pairs;
}

inline const std::vector<std::string>& small_texts() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all;
    for (const Row& pair : small_pairs()) {
      all.push_back(pair[0]);
      all.push_back(pair[1]);
    }
    return all;
  }();
  return texts;
}

}  // namespace calque
