#pragma once
// The training of a translator on sentence pairs, with teacher forcing.

#include <span>
#include <vector>

#include "nn/models/translator.h"
#include "train/config/config.h"
#include "train/tasks/example_works.h"
#include "train/tasks/translation/word_distillation.h"

namespace calque {

// The summed loss of examples of two columns: source and target.
SummedLoss pair_loss(Translator model, std::span<const Example> pairs, double label_smoothing,
                     Mode mode, double agreement = 0);

// Trains the model on these pairs, by a teacher unless it is null. A micro-batch is divided by
// chunk_begins(). The teacher must outlive the result.
ExampleTraining pair_training(Translator model, const TrainingConfig& training, ExampleSet set,
                              const WordTeacher* teacher = nullptr);

// Divides the pairs into at most `chunks` chunks and returns the index of the first pair of each. A
// chunk ends before a pair whose middle target token is in the next of `chunks` equal shares of the
// target tokens, and before it would exceed 17/16 of such a share, or more sixteenths if there
// would be too many chunks. It has at least one pair.
std::vector<int64_t> chunk_begins(const Segments& targets, int64_t chunks);

}  // namespace calque
