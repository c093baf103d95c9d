#pragma once
// The number of tokens in a batch of a run that does not set training.batch_tokens. It follows from
// the length of the run: what a short run lacks is updates, so its batches are small; the updates
// of a long run can each use more tokens, which takes less time for each of them.

#include <string>
#include <vector>

#include "train/config/config.h"
#include "train/task.h"

namespace calque {

// The tokens of an update of a run over so many tokens, of which each term of the loss takes
// `tokens_of_term`: 1 if each token is a term, all tokens of an example if the example is one.
int64_t tokens_of_update(double tokens_of_run, double tokens_of_term);

struct BatchChoice {
  int64_t tokens = 0;              // of a batch
  std::vector<std::string> notes;  // lines for the log
};
// Requires training.chooses_batch(). Measures a few steps on this rank, and sets the weights to
// their initial values.
BatchChoice choose_batch(const Config& config, Task& task, int ranks);

}  // namespace calque
