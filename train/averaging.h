#pragma once
// The mean of the weights of several checkpoints: it often translates better than any one of them.

#include <cstdint>
#include <string>
#include <vector>

#include "train/storage/training_state.h"

namespace calque {

// Makes a folder like a run's, with config, tokenisers and one checkpoint: the mean of those at the
// given steps of `run`. It can be used as a run, but not trained further.
void average_checkpoints(const std::string& run, const std::vector<int64_t>& steps,
                         const std::string& out);

// The steps of the newest `count` checkpoints; an Error if there are fewer.
std::vector<int64_t> last_steps(const std::string& run, int64_t count);
// The steps of the `count` best validations that still have a checkpoint, best first.
std::vector<int64_t> best_steps(const std::string& run, int64_t count);

}  // namespace calque
