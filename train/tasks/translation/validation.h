#pragma once
// The validation of a translator: the loss with teacher forcing and, if the config asks for it,
// translations compared with the references.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/corpora/corpus.h"
#include "data/datasets/dataset.h"
#include "nn/models/translator.h"
#include "train/task.h"
#include "train/tasks/shared_validation.h"
#include "train/tasks/translation/text_search.h"

namespace calque {

// The texts of a split. Sources are unchanged; references are in lower case if data.lowercase is
// set.
struct ParallelTexts {
  // Texts [begin, end) of a multilingual run, and the token that the model reads before each
  // source.
  struct Part {
    std::string pair, mark;
    size_t begin = 0, end = 0;
  };

  std::vector<std::string> sources, references;
  std::vector<std::string> places;  // of the sources: "train.en:17"
  std::vector<Part> parts = {};     // empty if they have no languages of their own
};
// Reads at most `most` pairs, or all if `most` is 0; of a multilingual run, as many of each
// language pair. A line that is too long or not UTF-8 is an Error, or its pair is skipped, as
// data.invalid_utf8 says.
ParallelTexts read_texts(const std::vector<CorpusSource>& corpora, int64_t most,
                         const DataConfig& data);

// search_texts() for the sources, with their context or, of a part, with its token.
std::vector<FoundTranslations> search_parallel(std::span<const Translator> models,
                                               Tokenizers tokenizers, const ParallelTexts& texts,
                                               const TextSearch& how,
                                               const std::function<void(int64_t)>& done = {});

// Throws Error if a sentence is longer than the learned positions. The second function checks the
// sources only; its texts include pairs that a dataset drops because one side is empty.
void require_positions(const Dataset& dataset, const ModelConfig& model);
void require_positions(const ParallelTexts& texts, const Tokenizer& source,
                       const ModelConfig& model);

// Throws Error if a file of the validation corpora cannot be opened; reads nothing.
void require_validation_files(const Config& config);

struct TranslationScores {
  double exact = 0;  // share of equal lines
  double bleu = 0, chrf = 0;
};
double exact_share(const std::vector<std::string>& outputs,
                   const std::vector<std::string>& references);
TranslationScores score_translations(const std::vector<std::string>& outputs,
                                     const std::vector<std::string>& references,
                                     const Config& config);

class Validation {
 public:
  // An empty cache folder keeps the tokens in memory.
  Validation(const Config& config, const Tokenizers& tokenizers, const std::string& cache);

  // Ranks share the batches of the loss and of the translations.
  Scores scores(Translator model, BatchShare share) const;

  bool has_data() const { return dataset_.has_value(); }
  const Dataset* dataset() const { return dataset_ ? &*dataset_ : nullptr; }

 private:
  void translate(Translator model, BatchShare share, Scores& scores) const;
  std::vector<std::string> translations(Translator model, BatchShare& share) const;

  const Config config_;
  const Tokenizers tokenizers_;
  std::optional<Dataset> dataset_;
  ParallelTexts texts_;
};

}  // namespace calque
