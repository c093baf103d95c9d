#pragma once
// The checkpoints of a run with model.adapter hold the adapter alone, and their state names the
// file of its base, the weights that it corrects. In use, such a run is the plain model that
// results:
//
//   W + alpha / rank A [B_0, B_1, ...],  A = W's lora_a, of parts of `rank` columns, B_i its
//   lora_b.i

#include <functional>
#include <span>
#include <string>

#include "core/parameters.h"
#include "train/storage/safetensors.h"
#include "train/storage/training_state.h"
#include "train/task.h"
#include "train/weights/trained_run.h"

namespace calque {

// Fills the slots from the base of an adapter: the file that `saved` names or, if that is not
// there, the one that init_from names. Throws an Error, which begins with `run`, if there is none,
// or if its contents have changed.
void load_base(const std::string& run, const BaseWeights& saved, const std::string& init_from,
               std::span<const TensorSlot> slots);

// Fills the parameters of the plain model. `load` loads the checkpoint into slots;
// `checkpoint` is the folder of one that has the same tensors.
LoadedCheckpoint load_adapted(
    const RunLocation& run, const std::string& checkpoint, const Parameters& parameters,
    const std::function<LoadedCheckpoint(const std::vector<TensorSlot>&)>& load);

// Writes a run folder `out` with one checkpoint, in which the adapter of `place` (see open_run()),
// its corrections times `strength`, is merged with its base: a plain run. Throws an Error if `out`
// exists or the run has no adapter.
void merge_adapter(const std::string& place, const std::string& out, const MakeTask& make_task,
                   real strength = 1);

}  // namespace calque
