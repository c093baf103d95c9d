#pragma once
// The doctor: reads everything a run would read and says what it found: how much there is, how long
// it is, what the filters drop and why, what the vocabulary lacks, what the splits share, and
// whether a file looks like the wrong one (the same language on both sides, sides swapped, lines
// shifted).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/filters.h"
#include "data/tokenizer.h"

namespace calque {

struct SplitSource {
  std::string name;  // "train", "validation", "test"
  std::vector<CorpusSource> corpora;
  bool filtered = true;  // as training is; validation and test use every pair that is text
};

// The upper ends of the histogram's classes of lengths, in tokens; the last class has none.
inline constexpr std::array<int64_t, 10> length_classes = {5,  10, 15,  20,  30,
                                                           40, 60, 100, 150, 250};

struct SideReport {
  int64_t tokens = 0;   // of the pairs kept, without </s>
  int64_t unknown = 0;  // of these
  int64_t longest = 0;
  std::array<int64_t, length_classes.size() + 1> lengths{};  // sentences kept, by class
};

struct SplitReport {
  std::string name;
  int64_t lines = 0, kept = 0;
  DropTally drops;
  SideReport source, target;
  int64_t copies = 0;             // pairs kept whose two texts are equal
  int64_t repeated = 0;           // pairs kept that occurred before in this split
  int64_t pairs_in_training = 0;  // pairs kept that the first split has too
  int64_t sources_in_training = 0;
  double length_correlation = 0;  // Pearson's, of the numbers of tokens; 0 if a side does not vary
  double side_similarity =
      0;  // 1: both sides use the same words equally often; 0: no word in common
};

// A part of a whole; 0 of nothing.
inline double share_of(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

struct CheckReport {
  std::vector<SplitReport> splits;      // those that could be read
  std::vector<std::string> problems;    // what would stop a run
  std::vector<std::string> suspicions;  // what is probably not meant
  bool sound() const { return problems.empty() && suspicions.empty(); }
};

// The first split is the one that is trained on.
CheckReport check_corpora(const std::vector<SplitSource>& splits, const Tokenizer& source,
                          const Tokenizer& target, const FilterOptions& filters);

// For people, several lines.
std::string to_text(const CheckReport& report);

}  // namespace calque
