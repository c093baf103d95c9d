#pragma once
// The scores of each language pair of a multilingual run.

#include <string>
#include <vector>

#include "train/report/records.h"
#include "train/tasks/translation/validation.h"

namespace calque {

struct PairScores {
  std::string pair;  // "en-de"
  int64_t sentences = 0;
  TranslationScores scores = {};
};

// One for each pair, in the order of the texts; none if the texts have no languages.
std::vector<PairScores> score_pairs_of_languages(const std::vector<std::string>& outputs,
                                                 const ParallelTexts& texts, const Config& config);

// The means over the pairs. Require one at least.
double mean_bleu(const std::vector<PairScores>& pairs);
double mean_chrf(const std::vector<PairScores>& pairs);

// For the report, with the means as the last row.
ResultTable table_of(const std::vector<PairScores>& pairs);

}  // namespace calque
