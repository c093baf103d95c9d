#pragma once
// Texts of a split as a dataset of documents. Without a cache folder the ids stay in memory.

#include <string>

#include "data/datasets/dataset.h"
#include "data/tokenizers/tokenizer.h"
#include "train/config/config.h"

namespace calque {

// Loads data.train, without duplicates if data.drop_duplicates is set.
Dataset load_training_texts(const DataConfig& data, const Tokenizer& tokenizer,
                            const std::string& cache_folder = {});

// Loads the texts of the corpora, duplicates included. `split` is the split that `split: auto`
// selects.
Dataset load_texts(const DataConfig& data, const Corpora& corpora, CorpusConfig::Split split,
                   const Tokenizer& tokenizer, const std::string& cache_folder = {});

}  // namespace calque
