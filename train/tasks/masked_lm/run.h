#pragma once
// A trained masked language model in use, with the weights of one of its checkpoints.

#include <string>

#include "nn/models/encoder.h"
#include "train/tasks/sentence_embeddings.h"
#include "train/tasks/text/run.h"

namespace calque {

using MaskedLmRun = TextRun<MaskedLm>;

MaskedLmOptions masked_lm_options(const Config& config, int64_t vocabulary);

// Throws Error for a run of another task.
inline MaskedLmRun open_masked_lm_run(const RunPlace& place) {
  return open_text_run<MaskedLm>(TaskKind::masked_lm, place, masked_lm_options);
}

// Embeds texts, which may have [MASK], with the run's encoder.
SentenceEncoder sentence_encoder(const MaskedLmRun& run);

}  // namespace calque
