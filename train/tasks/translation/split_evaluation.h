#pragma once
// How good a trained model is on a split: with the right words given, and by its own translations
// against the untouched references.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/filters.h"
#include "decode/translation.h"
#include "train/metrics/bleu.h"
#include "train/metrics/chrf.h"
#include "train/metrics/ter.h"
#include "train/tasks/translation/evaluation.h"
#include "train/tasks/translation/translation_run.h"

namespace calque {

struct SplitResult {
  std::string name;
  int64_t pairs = 0;               // that are translated
  DropTally skipped;               // that are no text, where the config skips those
  DropTally empty;                 // translated pairs of which one side has no words
  std::optional<MeanLoss> tokens;  // of one run alone, over the pairs that are not empty
  double exact = 0;
  BleuScore bleu;
  ChrfScore chrf;
  TerScore ter;
  std::vector<std::string> sources, references, outputs;
};

// Several runs translate together; the first one's config says how corpora are read and scored.
// `done` is told the number of translated sentences now and then. A sentence that is longer than
// learned positions is an Error.
SplitResult evaluate_corpus(const std::vector<TranslationRun>& runs, const std::string& name,
                            const CorpusSource& corpus, const TranslationOptions& options,
                            const BleuOptions& bleu_options,
                            const std::function<void(int64_t)>& done = {});

// For people, several lines; `samples` of the translations, from all over the split.
std::string to_text(const SplitResult& result, int64_t samples);

}  // namespace calque
