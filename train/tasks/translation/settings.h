#pragma once
// From the config, which knows every floor, to the option structs of the floors, which know only
// themselves.

#include "data/batch_plan.h"
#include "data/corpus.h"
#include "data/filters.h"
#include "data/tokenizer_training.h"
#include "decode/search.h"
#include "nn/options.h"
#include "train/config/config.h"
#include "train/metrics/bleu.h"
#include "train/metrics/chrf.h"

namespace calque {

TransformerOptions transformer_options(const ModelConfig& model, int64_t source_vocabulary,
                                       int64_t target_vocabulary);
// How often a batch goes through the model in a step.
int64_t passes(const TrainingConfig& training);

TokenizerOptions tokenizer_options(const Config& config);
TokenizerTraining tokenizer_training(const TokenizerConfig& tokenizer);
FilterOptions filter_options(const DataConfig& data);
BatchOptions batch_options(const TrainingConfig& training);
SearchOptions search_options(const DecodingConfig& decoding);
// Of translations beside their references; with data.lowercase both are in lower case, which their
// signatures say.
BleuOptions bleu_options(const Config& config);
ChrfOptions chrf_options(const Config& config);

// The corpora of a split, those of toy languages generated. `split` is what `split: auto` stands
// for.
std::vector<CorpusSource> corpus_sources(const Corpora& corpora, const DataConfig& data,
                                         CorpusConfig::Split split);
// What a corpus is called in results: its name, or that of its files.
std::string corpus_name(const CorpusConfig& corpus);

}  // namespace calque
