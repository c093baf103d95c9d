#include "train/metrics/system_comparison.h"

#include <algorithm>

#include "core/error.h"

namespace calque {
namespace {

using Statistics = std::vector<SegmentStatistics>;  // of each system

Statistics statistics_of(const Metric& metric, std::span<const System> systems,
                         const TestSet& test) {
  Statistics statistics;
  for (const System& system : systems) {
    statistics.push_back(metric.statistics(system.outputs, test.references));
  }
  return statistics;
}

ComparedScores compare_scores(const Metric& metric, const Statistics& systems, const TestSet& test,
                              const SystemComparisonOptions& options) {
  const SegmentStatistics& baseline = systems.front();
  ComparedScores scores{.head = metric.head(baseline.sums(), test.references.size(),
                                            resampling_fields(options.test, options.resampling)),
                        .better = metric.better,
                        .comparisons = {}};
  for (size_t i = 1; i < systems.size(); ++i) {
    Comparison pair = compare(baseline, systems[i], metric.score, options.test, options.resampling);
    // Of systems with equal outputs no sample differs by more, which is no evidence against them.
    if (pair.system == pair.baseline) pair.p_value = 1;
    scores.comparisons.push_back(pair);
  }
  return scores;
}

// The sentences with the largest differences; equal ones are in the order of the test set.
std::vector<ComparedSentence> first_of(std::vector<ComparedSentence> sentences, int64_t most) {
  std::ranges::stable_sort(sentences, std::greater<>(), [](const ComparedSentence& sentence) {
    return std::abs(sentence.difference());
  });
  sentences.resize(std::min(sentences.size(), static_cast<size_t>(most)));
  return sentences;
}

ComparedSentences compare_sentences(const Metric& metric, const SegmentStatistics& baseline,
                                    const SegmentStatistics& system, int64_t examples) {
  ComparedSentences result;
  std::vector<ComparedSentence> better, worse;
  for (size_t i = 0; i < baseline.segments(); ++i) {
    const ComparedSentence sentence{i, metric.score(baseline.row(i)), metric.score(system.row(i))};
    if (sentence.difference() > 0) better.push_back(sentence);
    if (sentence.difference() < 0) worse.push_back(sentence);
  }
  result.better = std::ssize(better);
  result.worse = std::ssize(worse);
  result.equal = static_cast<int64_t>(baseline.segments()) - result.better - result.worse;
  result.most_better = first_of(std::move(better), examples);
  result.most_worse = first_of(std::move(worse), examples);
  return result;
}

}  // namespace

SystemComparison compare_systems(std::span<const System> systems, const TestSet& test,
                                 const SystemComparisonOptions& options) {
  require(systems.size() >= 2, "compare_systems: {} systems", systems.size());
  const Metric chrf = chrf_metric(options.chrf, options.decimals);
  const Statistics by_chrf = statistics_of(chrf, systems, test);
  SystemComparison result;
  for (const Metric& metric :
       {bleu_metric(options.bleu, options.decimals), ter_metric(options.ter, options.decimals)}) {
    result.metrics.push_back(
        compare_scores(metric, statistics_of(metric, systems, test), test, options));
  }
  result.metrics.insert(result.metrics.begin() + 1, compare_scores(chrf, by_chrf, test, options));
  result.sentence_metric = Metric::name_of(result.metrics[1].head);
  for (size_t i = 1; i < systems.size(); ++i) {
    result.sentences.push_back(
        compare_sentences(chrf, by_chrf.front(), by_chrf[i], options.examples));
  }
  return result;
}

}  // namespace calque
