#pragma once
// From the sections `data` and `training` of a config to the options of data/ that all tasks share.

#include <string>

#include "data/batch_plan.h"
#include "data/filters.h"
#include "data/toy/toy.h"
#include "train/config/config.h"

namespace calque {

FilterOptions filter_options(const DataConfig& data);
BatchOptions batch_options(const TrainingConfig& training);

// The toy of a corpus that has one.
ToyLanguage toy_language(const CorpusConfig& corpus);

// The name of a corpus in results: its own, or that of its files.
std::string corpus_name(const CorpusConfig& corpus);

}  // namespace calque
