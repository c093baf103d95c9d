#pragma once
// A corpus without the pairs that break a rule. It is read twice, in blocks: for the survey, then
// to judge. The memory holds a block, the survey, the starts of the lines (8 bytes each per side)
// and two hashes of each pair kept.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/cleaning/rules.h"
#include "data/cleaning/sightings.h"
#include "data/corpora/corpus.h"

namespace calque {

// What trained models say of pairs: the less they doubt that the texts translate each other, the
// lower the cost. Texts are UTF-8, and some are long.
using PairCosts = std::function<std::vector<double>(std::span<const std::string> sources,
                                                    std::span<const std::string> targets)>;

struct CleanOptions {
  RuleOptions rules = {};
  PairCosts costs = {};  // for Rule::models, which is off without
  bool repair = true;    // undo mojibake where that is exact
  int64_t examples = 2;  // of dropped pairs, for each rule
};

struct DroppedPair {
  std::string where, source, target;
};

// The pairs that one rule dropped. A pair that breaks several rules counts for the first of them.
struct Dropped {
  std::string what;  // "pairs with an empty side"
  Sightings seen = {};
  std::vector<DroppedPair> examples = {};  // none of lines that are not text
};

struct CleanReport {
  int64_t pairs = 0, kept = 0;
  int64_t repaired = 0;                          // of those kept
  Sightings shifted = {};                        // not dropped for that
  double usual_cost = 0;                         // of CleanOptions::costs; 0 without
  std::array<Dropped, rule_count> dropped = {};  // indexed by Rule

  const Dropped& by(Rule rule) const { return dropped[static_cast<size_t>(rule)]; }
};

// Calls keep(source, target) for each pair that is kept, in order, and progress(pairs) after each
// block. The corpus has two columns. The result does not depend on the number of threads.
CleanReport clean_corpus(const Corpus& corpus, const CleanOptions& options,
                         const std::function<void(std::string_view, std::string_view)>& keep,
                         const std::function<void(int64_t)>& progress = {});

}  // namespace calque
