#pragma once
// A report on the data of a run: sizes and lengths, what the filters drop and why, unknown tokens,
// overlap of the splits, and signs of wrong files (equal languages, swapped sides, shifted lines).

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "data/cleaning/rules.h"
#include "data/cleaning/sightings.h"
#include "data/corpora/corpus.h"
#include "data/corpora/filters.h"
#include "data/tokenizers/tokenizer.h"

namespace calque {

struct SplitSource {
  std::string name;  // "train", "validation", "test"
  std::vector<CorpusSource> corpora;
  bool filtered = true;  // as for training; false: all valid pairs, as for validation and test
};

// The largest length of each class of the histogram, in tokens; a further class has no limit.
inline constexpr std::array<int64_t, 10> length_classes = {5,  10, 15,  20,  30,
                                                           40, 60, 100, 150, 250};

struct SideReport {
  int64_t tokens = 0;   // of the pairs kept, without </s>
  int64_t unknown = 0;  // how many of them are <unk>
  int64_t longest = 0;
  std::array<int64_t, length_classes.size() + 1> lengths{};  // number of sentences kept, by class
};

// Pairs kept that are probably bad.
struct Finding {
  std::string what;  // "lines with HTML"
  Sightings seen = {};
  double usual = 0;     // the share of the pairs that an ordinary corpus has
  bool by_rule = true;  // whether `calque data clean` drops them
};

struct SplitReport {
  std::string name;
  int64_t lines = 0, kept = 0;
  DropTally drops;
  Sightings invalid = {}, nuls = {};  // dropped for that
  SideReport source, target;
  Sightings copies = {};          // pairs kept whose two texts are equal
  Sightings repeated = {};        // pairs kept that occurred before in this split
  std::vector<Finding> findings;  // what was seen at least once
  int64_t pairs_in_training = 0;  // pairs kept that the first split has too
  int64_t sources_in_training = 0;
  double length_correlation = 0;  // Pearson's, of the numbers of tokens; 0 if a side does not vary
  double side_similarity = 0;     // 1: the same words equally often; 0: no word in common
};

// Whether `calque data clean` drops pairs of the split, more than is usual.
bool can_be_cleaned(const SplitReport& split);

// part / whole, or 0 for an empty whole.
inline double share_of(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

struct CheckReport {
  std::vector<SplitReport> splits;      // those that could be read
  std::vector<std::string> problems;    // errors that would stop a run
  std::vector<std::string> suspicions;  // probable mistakes
  bool sound() const { return problems.empty() && suspicions.empty(); }
};

// The first split is the training data.
CheckReport check_corpora(const std::vector<SplitSource>& splits, const Tokenizer& source,
                          const Tokenizer& target, const FilterOptions& filters);

std::string to_text(const CheckReport& report);

}  // namespace calque
