#pragma once
// The texts of a config as datasets of documents, and their tokenizer.

#include <string>
#include <vector>

#include "data/datasets/dataset.h"
#include "data/documents/documents.h"
#include "train/tasks/run_tokenizers.h"

namespace calque {

// The texts of a split, without conversations and preferences. `split` is the split that `split:
// auto` of a toy corpus selects.
std::vector<DocumentSource> document_sources(const Corpora& corpora, const DataConfig& data,
                                             Split split);

// Loads data.train, documents, conversations or preferences, without duplicates if
// data.drop_duplicates is set. Without a cache folder the ids stay in memory.
Dataset load_training_texts(const DataConfig& data, const Tokenizer& tokenizer,
                            const std::string& cache_folder = {});

// Loads the texts of the corpora, duplicates included.
Dataset load_texts(const DataConfig& data, const Corpora& corpora, Split split,
                   const Tokenizer& tokenizer, const std::string& cache_folder = {});

// Whether documents contain line ends, so that the tokenizer needs a symbol for them.
bool has_line_ends(const DataConfig& data);

Tokenizer open_text_tokenizer(const Config& config, const RunFolder& run, const TaskStart& start);

}  // namespace calque
