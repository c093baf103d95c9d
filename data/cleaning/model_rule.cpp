#include "data/cleaning/model_rule.h"

#include <limits>

#include "core/median.h"

namespace calque {
namespace {

// The first pairs of a block that break no rule, and their rows.
struct Unbroken {
  Unbroken(const JudgedBlock& block, size_t most) {
    for (int64_t row = 0; row < block.rows() && rows.size() < most; ++row) {
      if (block.breaks_a_rule(row)) continue;
      rows.push_back(row);
      sources.emplace_back(block.text.row(row)[0].text);
      targets.emplace_back(block.text.row(row)[1].text);
    }
  }

  std::vector<int64_t> rows;
  std::vector<std::string> sources, targets;
};

}  // namespace

ModelRule::ModelRule(const Corpus& corpus, const CleanOptions& options, const PairRules& rules)
    : costs_(options.costs) {
  constexpr int64_t places = 8;
  constexpr size_t at_each = 250;
  std::vector<double> costs;
  for (int64_t i = 0; i < places; ++i) {
    const Unbroken sample(judge_rows(corpus, corpus.size() * i / places, rules, options.repair),
                          at_each);
    if (sample.rows.empty()) continue;
    for (const double cost : costs_(sample.sources, sample.targets)) costs.push_back(cost);
  }
  if (costs.empty()) return;
  usual_ = median(std::move(costs));
  most_ = options.rules.max_cost * usual_;
}

void ModelRule::judge(JudgedBlock& block) const {
  const Unbroken pairs(block, std::numeric_limits<size_t>::max());
  if (pairs.rows.empty()) return;
  const std::vector<double> costs = costs_(pairs.sources, pairs.targets);
  for (size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] > most_) block.broken[pairs.rows[i]][0].set(size_t(Rule::models));
  }
}

}  // namespace calque
