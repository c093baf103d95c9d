#pragma once
// The reference of training on preferences: the model of model.init_from. Its log-probabilities of
// all answers are computed once, and kept in the cache of the run under a hash of the data and the
// weights. They depend on no other setting, so that computing them again gives the same bits.

#include <cstdint>
#include <functional>
#include <string>

#include "data/datasets/dataset.h"
#include "train/config/config.h"
#include "train/tasks/language_model/preferences.h"
#include "train/tasks/task_model.h"

namespace calque {

struct Reference {
  PairLogs logs;
  std::string description;  // the end of a line of the log: "; the reference is from the cache"
};

// Zeros in place of the logs, for a run that is not trained.
PairLogs no_reference(const Dataset& dataset);

// Of the weights of model.init_from and the options of the model. Throws an Error if there are
// none.
uint64_t weights_hash(const Config& config);

// Fills the model with these weights; an adapter does nothing yet. Throws an Error if a weight is
// missing.
void load_reference_weights(const Config& config, const std::string& tokenizer_hash,
                            TaskModel<LanguageModel>& network);

// From the cache, if the folder has it; otherwise computed with model(), the reference, and
// written there, if a folder is given.
Reference load_reference(const Dataset& dataset, uint64_t weights, const std::string& cache_folder,
                         const std::function<const LanguageModel&()>& model);

// Refuses to resume a run with another reference. The arguments are the hash of the data in the
// checkpoint, or an empty text, and the one now, which end with the hash of the weights.
void require_same_reference(const std::string& before, const std::string& now);

}  // namespace calque
