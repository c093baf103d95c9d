#pragma once
// How good a trained model is on a split: with the right words given, and by its own translations
// against the untouched references.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "decode/search.h"
#include "train/evaluation.h"
#include "train/metrics/bleu.h"
#include "train/metrics/chrf.h"
#include "train/metrics/ter.h"
#include "train/trained_run.h"

namespace calque {

struct SplitResult {
  std::string name;
  int64_t pairs = 0;
  std::optional<TokenScores> tokens;  // of one run alone
  double exact = 0;
  BleuScore bleu;
  ChrfScore chrf;
  TerScore ter;
  std::vector<std::string> sources, references, outputs;
};

// Several runs translate together; the first one's config says how corpora are read and scored.
SplitResult evaluate_corpus(const std::vector<TrainedRun>& runs, const std::string& name,
                            const CorpusSource& corpus, const SearchOptions& options,
                            const BleuOptions& bleu_options,
                            const std::function<void(int64_t)>& done = {});

// For people, several lines; `samples` of the translations, from all over the split.
std::string to_text(const SplitResult& result, int64_t samples);

}  // namespace calque
