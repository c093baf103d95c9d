#pragma once
// From the sections `data` and `training` of a config to the options of data/, where all tasks
// agree.

#include <string>

#include "data/batch_plan.h"
#include "data/filters.h"
#include "data/toy/toy.h"
#include "train/config/config.h"

namespace calque {

FilterOptions filter_options(const DataConfig& data);
BatchOptions batch_options(const TrainingConfig& training);

// What a corpus is called in results: its name, or that of its files.
std::string corpus_name(const CorpusConfig& corpus);

// The part of a toy language that the corpus draws from; `split` is that of its section.
Split toy_split(const CorpusConfig& corpus, CorpusConfig::Split split);

}  // namespace calque
