#pragma once
// Rule::models: the pairs of a corpus whose cost is far above the usual one.

#include "data/cleaning/clean.h"
#include "data/cleaning/judged_block.h"

namespace calque {

class ModelRule {
 public:
  // Learns the usual cost from some pairs of the corpus that break no other rule.
  ModelRule(const Corpus& corpus, const CleanOptions& options, const PairRules& rules);

  // Judges the pairs that break no other rule.
  void judge(JudgedBlock& block) const;

  double usual() const { return usual_; }

 private:
  const PairCosts& costs_;
  double usual_ = 0, most_ = 0;
};

}  // namespace calque
