#pragma once
// Systems compared with a baseline on one test set: BLEU, chrF and TER with a paired significance
// test, and the sentences whose chrF differs most.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "train/metrics/metric.h"
#include "train/metrics/resampling/resampling.h"

namespace calque {

struct System {
  std::string name;
  std::vector<std::string> outputs;
};

// A test set. `sources` may be empty; `places` names each sentence in results: "test.en:17".
struct TestSet {
  std::vector<std::string> sources, places;
  std::vector<std::vector<std::string>> references;
};

struct SystemComparisonOptions {
  BleuOptions bleu = {};
  ChrfOptions chrf = {};
  TerOptions ter = {};
  PairedTest test = PairedTest::bootstrap;
  Resampling resampling = {};
  int64_t examples = 3;  // in each direction
  int decimals = 1;
};

// The systems by one metric.
struct ComparedScores {
  std::string head;  // its name and signature
  Better better = Better::higher;
  std::vector<Comparison> comparisons;  // of each system but the first with the first
};

// A sentence with its two scores.
struct ComparedSentence {
  size_t number = 0;
  double baseline = 0, system = 0;
  double difference() const { return system - baseline; }
};

struct ComparedSentences {
  int64_t better = 0, worse = 0, equal = 0;
  std::vector<ComparedSentence> most_better, most_worse;  // the largest difference first
};

struct SystemComparison {
  std::vector<ComparedScores> metrics;
  std::string sentence_metric;               // "chrF2"
  std::vector<ComparedSentences> sentences;  // of each system but the first
};

// The first system is the baseline; there must be two. Throws an Error for an empty test set or
// systems and references of unequal length.
SystemComparison compare_systems(std::span<const System> systems, const TestSet& test,
                                 const SystemComparisonOptions& options);

std::string to_text(const SystemComparison& comparison, std::span<const System> systems,
                    const TestSet& test, const SystemComparisonOptions& options);
std::string to_json(const SystemComparison& comparison, std::span<const System> systems,
                    const TestSet& test, const SystemComparisonOptions& options);

}  // namespace calque
