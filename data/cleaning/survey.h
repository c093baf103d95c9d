#pragma once
// What the rules learn from a corpus as a whole: the script and the words of each side, how long a
// translation is beside its source, and a sample for the translations of words.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/cleaning/pair_signs.h"
#include "data/cleaning/translation_score.h"
#include "data/cleaning/usual_letters.h"

namespace calque {

// The logarithms of the ratios target / source of the lengths in characters, as a histogram.
class LengthRatios {
 public:
  static double of(std::string_view source, std::string_view target);
  void add(double ratio);

  double median() const;
  // The standard deviation of a normal distribution with the same median deviation from the median,
  // but at least 0.1: a corpus of equal lengths must not drop all others.
  double spread() const;

 private:
  static constexpr int64_t bins = 1000;
  static constexpr double width = 0.01;

  std::vector<int64_t> counts_ = std::vector<int64_t>(bins);
  int64_t all_ = 0;
};

class CorpusSurvey {
 public:
  void add(std::string_view source, std::string_view target);

  // What fewer pairs show is chance.
  bool has_enough() const { return pairs_ >= 50; }
  // Enough for what is learned of letters.
  bool has_many() const { return pairs_ >= 1000; }
  // To be called after the last add().
  void measure();
  // 1: both sides use the same words equally often; 0: they have no word in common.
  double side_similarity() const { return words[0].similarity(words[1]); }

  std::array<WordProfile, 2> words;
  std::array<ScriptCount, 2> scripts;
  std::array<UsualLetters, 2> letters;
  LengthRatios lengths;
  TranslationSample translations;

 private:
  int64_t pairs_ = 0;
};

}  // namespace calque
