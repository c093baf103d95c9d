#include "train/tasks/translation/pair_costs.h"

#include <cmath>

#include "core/error.h"
#include "train/tasks/translation/scoring.h"

namespace calque {
namespace {

std::vector<double> cross_entropies(const TranslationRun& run, std::span<const std::string> sources,
                                    std::span<const std::string> targets) {
  const auto place = [](PairSide side, size_t pair) {
    return fmt::format("{} text {}", side == PairSide::source ? "source" : "target", pair + 1);
  };
  std::vector<double> all;
  for (const SequenceScore& score : score_texts(run, sources, targets, place)) {
    all.push_back(-score.log_probability / static_cast<double>(score.tokens));
  }
  return all;
}

}  // namespace

DualCrossEntropy::DualCrossEntropy(const RunPlace& forward, const RunPlace& backward,
                                   const LanguageChoice& languages)
    : forward_(open_translation_run(forward, languages)),
      backward_(open_translation_run(backward, LanguageChoice{languages.to, languages.from})) {
  const LanguagePair &there = forward_.languages, &back = backward_.languages;
  if (there.source == back.target && there.target == back.source) return;
  fail("{} translates {}-{} and {} {}-{}; give runs for the two directions of one pair",
       forward.path, there.source, there.target, backward.path, back.source, back.target);
}

std::vector<double> DualCrossEntropy::operator()(std::span<const std::string> sources,
                                                 std::span<const std::string> targets) const {
  const std::vector<double> there = cross_entropies(forward_, sources, targets);
  const std::vector<double> back = cross_entropies(backward_, targets, sources);
  std::vector<double> costs;
  for (size_t i = 0; i < there.size(); ++i) {
    costs.push_back(std::abs(there[i] - back[i]) + (there[i] + back[i]) / 2);
  }
  return costs;
}

}  // namespace calque
