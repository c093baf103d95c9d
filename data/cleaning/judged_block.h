#pragma once
// A block of a corpus, judged on all threads: the rules that each pair breaks.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/cleaning/rules.h"
#include "data/corpora/corpus.h"

namespace calque {

struct JudgedBlock {
  RowBlock text;                                    // repaired
  std::vector<std::array<RuleSet, 2>> broken = {};  // [rows]
  std::vector<std::optional<std::string>> repaired =
      {};  // [rows * 2]  the lines of `text` point here

  int64_t rows() const { return std::ssize(broken); }
  bool breaks_a_rule(int64_t row) const { return (broken[row][0] | broken[row][1]).any(); }
};

// Reads at least one row from `first` on. If `repair` is true, mojibake that can be undone is
// undone before the pair is judged.
JudgedBlock judge_rows(const Corpus& corpus, int64_t first, const PairRules& rules, bool repair);

}  // namespace calque
