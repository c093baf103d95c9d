#pragma once
// Converts the config of a translator to options of data/, nn/, decode/ and train/metrics/.

#include "data/corpora/corpus.h"
#include "decode/translation.h"
#include "nn/options.h"
#include "train/config/config.h"
#include "train/metrics/translation/bleu.h"
#include "train/metrics/translation/chrf.h"
#include "train/tasks/data_settings.h"

namespace calque {

TransformerOptions transformer_options(const ModelConfig& model, int64_t source_vocabulary,
                                       int64_t target_vocabulary);

RecurrentOptions recurrent_options(const ModelConfig& model, int64_t source_vocabulary,
                                   int64_t target_vocabulary);

// The columns of a pair whose tokens training.batch_tokens counts.
std::vector<int> cost_columns(const TrainingConfig& training);
TranslationOptions translation_options(const DecodingConfig& decoding);
// With data.lowercase, BLEU and chrF ignore case, as their signatures record.
BleuOptions bleu_options(const Config& config);
ChrfOptions chrf_options(const Config& config);

// The source and the target language: data.languages or, without them, those of the first toy
// language in data.train, or "src" and "tgt".
std::pair<std::string, std::string> languages_of(const Config& config);

// The corpora of a section of `data`, with toy languages generated; of a multilingual run, one for
// each direction. `split` is the split that `split: auto` of a toy corpus selects.
std::vector<CorpusSource> corpus_sources(const Corpora& corpora, const DataConfig& data,
                                         Split split);
}  // namespace calque
