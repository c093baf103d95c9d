#pragma once
// Evaluates trained models on a split: the loss with teacher forcing, and translations against the
// references.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/corpora/corpus.h"
#include "data/corpora/filters.h"
#include "train/metrics/translation/bleu.h"
#include "train/metrics/translation/chrf.h"
#include "train/metrics/translation/ter.h"
#include "train/tasks/translation/evaluation.h"
#include "train/tasks/translation/run.h"
#include "train/tasks/translation/terms/term_counts.h"
#include "train/tasks/translation/text_search.h"
#include "train/tasks/translation/validation.h"

namespace calque {

struct SplitResult {
  std::string name;
  int64_t pairs = 0;               // translated
  DropTally skipped;               // lines too long or not UTF-8, if the config skips them
  DropTally empty;                 // translated pairs with an empty side
  std::optional<MeanLoss> tokens;  // for a single run, over the pairs without an empty side
  double exact = 0;
  BleuScore bleu;
  ChrfScore chrf;
  TerScore ter;
  // With a glossary: its terms in the translations, and in the references.
  std::optional<TermCounts> terms, reference_terms;
  std::vector<std::string> sources, references, outputs;
};

// The translations by one run, or by several that form an ensemble. `done` receives the number of
// translated sentences from time to time. Throws Error for a sentence longer than the learned
// positions.
std::vector<std::string> translate_split(const std::vector<TranslationRun>& runs,
                                         const ParallelTexts& texts, TextSearch how,
                                         const std::function<void(int64_t)>& done = {});

// Several runs form an ensemble; the config of the first decides how corpora are read and scored.
// `done` receives the number of translated sentences from time to time. Throws Error for a sentence
// longer than the learned positions.
SplitResult evaluate_corpus(const std::vector<TranslationRun>& runs, const std::string& name,
                            const CorpusSource& corpus, const TextSearch& how,
                            const BleuOptions& bleu_options,
                            const std::function<void(int64_t)>& done = {});

// One line with the means over several results, or nothing for one.
std::string mean_text(const std::vector<SplitResult>& results);

// A human-readable report in several lines, with `samples` translations spread over the split.
std::string to_text(const SplitResult& result, int64_t samples);

}  // namespace calque
