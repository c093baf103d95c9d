#include "train/metrics/translation/minimum_risk.h"

#include <algorithm>

#include "core/error.h"
#include "train/metrics/translation/bleu.h"
#include "train/metrics/translation/chrf.h"

namespace calque {
namespace {

// The utility of hypotheses[i] with the reference references[i].
std::vector<double> utilities_of(const std::vector<std::string>& hypotheses,
                                 const std::vector<std::string>& references, Utility utility) {
  const std::vector<std::vector<std::string>> one = {references};
  const ChrfOptions chrf_options;
  const BleuOptions bleu_options{.effective_order = true};
  const SegmentStatistics rows = utility == Utility::chrf
                                     ? chrf_statistics(hypotheses, one, chrf_options)
                                     : bleu_statistics(hypotheses, one, bleu_options);
  std::vector<double> scores(hypotheses.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    scores[i] = utility == Utility::chrf ? chrf_of_sums(rows.row(i), chrf_options).score
                                         : bleu_of_sums(rows.row(i), bleu_options).score;
  }
  return scores;
}

}  // namespace

std::vector<RankedSample> rank_by_risk(std::span<const std::string> samples, Utility utility) {
  require(!samples.empty(), "rank_by_risk: no samples");
  std::vector<RankedSample> ranked;
  std::vector<double> counts;  // of equal samples
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto same = std::ranges::find_if(
        ranked, [&](const RankedSample& each) { return samples[each.index] == samples[i]; });
    if (same == ranked.end()) {
      ranked.push_back({i, 0});
      counts.push_back(1);
    } else {
      ++counts[same - ranked.begin()];
    }
  }
  std::vector<std::string> hypotheses, references;
  for (const RankedSample& h : ranked) {
    for (const RankedSample& r : ranked) {
      hypotheses.push_back(samples[h.index]);
      references.push_back(samples[r.index]);
    }
  }
  const std::vector<double> scores = utilities_of(hypotheses, references, utility);
  for (size_t h = 0; h < ranked.size(); ++h) {
    for (size_t r = 0; r < ranked.size(); ++r) {
      ranked[h].utility += counts[r] * scores[h * ranked.size() + r];
    }
    ranked[h].utility /= static_cast<double>(samples.size());
  }
  std::ranges::stable_sort(ranked, std::greater<>(), &RankedSample::utility);
  return ranked;
}

}  // namespace calque
