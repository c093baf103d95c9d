#pragma once
// The mean of the weights of several checkpoints, which is often better than each of them. The
// checkpoints should belong to one run, or to runs that model.init_from connects: one starts from
// the weights of the other, or both from a third. The mean of models that were trained
// independently is useless, but not refused.

#include <cstdint>
#include <string>
#include <vector>

#include "train/task.h"

namespace calque {

// Writes a run folder `out` with one checkpoint, whose weights are the mean of the weights of
// `places` (see open_run()). The config, the tokenizers, the task's side files and the state,
// without its best scores, are copied from the first of them. The run can be used, but not trained
// further. Throws an Error if `out` exists, or if the models, vocabularies or side files differ.
void average_weights(const std::vector<std::string>& places, const std::string& out,
                     const MakeTask& make_task);

// The folders of the newest `count` checkpoints of a run, newest first, without that of step 0.
// Throws an Error if there are fewer.
std::vector<std::string> last_checkpoints(const std::string& run, int64_t count);
// The same for the best `count` checkpoints, best first.
std::vector<std::string> best_checkpoints(const std::string& run, int64_t count);

}  // namespace calque
