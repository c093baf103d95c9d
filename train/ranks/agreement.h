#pragma once
// Checks at the start of several ranks that they can compute the same bits, from the same config
// and data. All ranks call each function. If one rank finds a difference, all ranks throw the
// Error.

#include <memory>

#include "ranks/communicator.h"
#include "train/config/config.h"
#include "train/storage/run_folder.h"
#include "train/storage/training_state.h"
#include "train/task.h"

namespace calque {

// Throws an Error if a rank has another build, instruction set, BLAS or C library than rank 0, or
// another config, except for the number of threads. The error names the rank, its host and the
// difference.
void require_same_program(Communicator& ranks, const Config& config);

// Makes the task of each rank. Rank 0 comes first and calls `make`, which trains the tokenizers and
// fills the cache. Then one rank on every other machine makes its task with `make_task`, and then
// all other ranks do. Throws an Error if the tokenizers or the data of a rank differ from those of
// rank 0.
std::unique_ptr<Task> make_tasks(Communicator& ranks,
                                 const std::function<std::unique_ptr<Task>()>& make,
                                 const Config& config, const RunFolder& run,
                                 const MakeTask& make_task);

// Gives all ranks the state of rank 0.
void share_state(Communicator& ranks, TrainingState& state);

}  // namespace calque
