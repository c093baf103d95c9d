#pragma once
// What the tasks share whose model is a text encoder that names classes: its options, its
// tokenizer, and a run in use.

#include <functional>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"
#include "nn/models/classification_head.h"
#include "train/config/checks/check.h"
#include "train/tasks/classes/labels.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/opened_run.h"

namespace calque {

ClassifierOptions classifier_options(const Config& config, int64_t vocabulary, int64_t classes);

// The tokenizer of tokenizer.files, else that of the masked language model that model.init_from
// names, else one trained on `texts`. Calls `texts` only to train one.
Tokenizer open_encoder_tokenizer(const Config& config, const RunFolder& run, const TaskStart& start,
                                 const std::function<std::vector<std::string>()>& texts);

// A trained model in use, with the weights of one of its checkpoints.
struct TextClassifierRun : OpenedRun<Classifier> {
  Tokenizer tokenizer;
  Labels labels;
};
// Throws Error for a run of another task.
TextClassifierRun open_text_classifier(TaskKind task, const RunPlace& place);

// The settings that no such task supports.
std::vector<Contradiction> text_classifier_contradictions(const Config& config);

}  // namespace calque
