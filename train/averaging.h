#pragma once
// The mean of the weights of several checkpoints: it is often better than any one of them.
// They are to be of one run, or of runs of which one began with the weights of the other
// (model.init_from); means of models that learned apart from each other are worth nothing.

#include <cstdint>
#include <string>
#include <vector>

#include "train/task.h"

namespace calque {

// Makes a folder like a run's with one checkpoint, whose weights are the mean of those of the given
// places, which are what open_run() takes; all else is the first one's. It can be used as a run,
// but not trained further. Models or vocabularies that differ are an Error.
void average_weights(const std::vector<std::string>& places, const std::string& out,
                     const MakeTask& make_task);

// The folders of the newest `count` checkpoints, newest first; an Error if there are fewer.
std::vector<std::string> last_checkpoints(const std::string& run, int64_t count);
// Those of the `count` best validations that still have a checkpoint, best first.
std::vector<std::string> best_checkpoints(const std::string& run, int64_t count);

}  // namespace calque
