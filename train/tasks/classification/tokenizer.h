#pragma once
// The tokenizer of a classifier: that of tokenizer.files, else that of the masked language model
// that model.init_from names, else one trained on the texts of data.train.

#include <vector>

#include "data/tokenizers/tokenizer.h"
#include "train/config/config.h"
#include "train/task.h"
#include "train/tasks/classification/corpora.h"

namespace calque {

// `corpora` are those of data.train; they may be empty if no tokenizer is made.
Tokenizer open_classification_tokenizer(const Config& config, const RunFolder& run,
                                        const TaskStart& start,
                                        const std::vector<LabelledCorpus>& corpora);

}  // namespace calque
