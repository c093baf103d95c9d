#pragma once
// Converts the sections `data` and `training` of a config to options of data/, for all tasks.

#include <string>

#include "data/batches/plan.h"
#include "data/corpora/filters.h"
#include "data/toy/toy.h"
#include "train/config/config.h"

namespace calque {

FilterOptions filter_options(const DataConfig& data);
// With a usual number of tokens if the run chooses it (TrainingConfig::chooses_batch()).
BatchOptions batch_options(const TrainingConfig& training);

// Throws an Error if the `toy` of the corpus is not a toy language.
ToyLanguage toy_language(const CorpusConfig& corpus);

// The name of a corpus in results: its `name`, else that of its toy or its first file.
std::string corpus_name(const CorpusConfig& corpus);

}  // namespace calque
