#pragma once
// The loss of word vectors on a text. The predictions and their negatives are the same at every
// call and in every run with the same tokenizer and settings, whatever the run's seed. Words are
// not subsampled.

#include <string>
#include <utility>
#include <vector>

#include "data/words/contexts.h"
#include "nn/models/word2vec.h"
#include "train/config/config.h"
#include "train/report/records.h"
#include "train/tasks/shared_validation.h"

namespace calque {

ContextOptions context_options(const Config& config);

// The values by the metric's name.
std::vector<std::pair<std::string, double>> word2vec_values(const LossSums& sums);

// Computes the batches of the share and returns the sums over all batches.
LossSums evaluate_word2vec(const Word2Vec& model, const Dataset& text, const Config& config,
                           const Tokenizer& tokenizer, BatchShare share = {});

}  // namespace calque
