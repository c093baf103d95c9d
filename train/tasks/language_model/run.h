#pragma once
// A trained language model, with the weights of one of its checkpoints.

#include <string>

#include "nn/models/language_model.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/sentence_embeddings.h"
#include "train/tasks/text/run.h"

namespace calque {

using LanguageModelRun = TextRun<LanguageModel>;

// Throws Error for a run of another task.
inline LanguageModelRun open_language_model_run(const RunPlace& place) {
  return open_text_run<LanguageModel>(TaskKind::language_model, place, language_model_options);
}

// Embeds texts with the hidden states after the last norm.
SentenceEncoder sentence_encoder(const LanguageModelRun& run);

}  // namespace calque
