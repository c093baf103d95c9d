#pragma once
// The loss of word vectors on a text. The predictions and their negatives are the same at every
// call and in every run with the same tokenizer and settings, whatever the run's seed. Words are
// not subsampled.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/words/contexts.h"
#include "nn/models/word2vec.h"
#include "train/config/config.h"
#include "train/report/records.h"
#include "train/task.h"
#include "train/tasks/shared_validation.h"

namespace calque {

// The examples of a text (WordContexts::examples()).
ExampleSet word_contexts(const Dataset& text, const Tokenizer& tokenizer,
                         const ContextOptions& options);
ContextOptions context_options(const Config& config);

// The summed loss of all predictions of these slices.
SummedLoss context_loss(const Word2Vec& model, std::span<const Example> slices);

// The values by the metric's name.
std::vector<std::pair<std::string, double>> word2vec_values(const LossSums& sums);

// Computes the batches of the share and returns the sums over all batches.
LossSums evaluate_word2vec(const Word2Vec& model, const Dataset& text, const Config& config,
                           const Tokenizer& tokenizer, BatchShare share = {});

}  // namespace calque
