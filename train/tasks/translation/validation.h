#pragma once
// What a run is judged by while it trains: the validation set with teacher forcing and, if asked,
// translations compared with the references.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/dataset.h"
#include "nn/transformer.h"
#include "train/task.h"
#include "train/tasks/translation/tokenizers.h"

namespace calque {

// Source and reference texts of a split: as they stand in the corpora, but references in lower case
// if the config wants both sides so.
struct ParallelTexts {
  std::vector<std::string> sources, references;
  std::vector<std::string> places;  // of the sources: "train.en:17"
};
// At most `most` pairs, or all if it is 0. A line that is no text is an Error, or its pair is left
// out.
ParallelTexts read_texts(const std::vector<CorpusSource>& corpora, int64_t most,
                         const DataConfig& data);

// Throws Error if a sentence is longer than the positions that a model has learned. Texts may be of
// pairs that the dataset lacks, because their other side is empty.
void require_positions(const Dataset& dataset, const ModelConfig& model);
void require_positions(const ParallelTexts& texts, const Tokenizer& source,
                       const ModelConfig& model);

// Throws Error if a file of the validation corpora cannot be opened, before anything that takes
// long.
void require_validation_files(const Config& config);

// How translations compare with their references.
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
  // Tokenised corpora are kept in the cache folder, if it is not empty.
  Validation(const Config& config, const Tokenizers& tokenizers, const std::string& cache);

  // Nothing if `stop`, which is asked now and then, returns true.
  std::optional<Scores> run(const Transformer& model, const std::function<bool()>& stop) const;

  bool there() const { return dataset_.has_value(); }

 private:
  Scores whole(const Transformer& model, const std::function<void()>& between) const;
  void translate(const Transformer& model, const std::function<void()>& between,
                 Scores& scores) const;

  const Config config_;
  const Tokenizers tokenizers_;
  std::optional<Dataset> dataset_;
  ParallelTexts texts_;
};

}  // namespace calque
