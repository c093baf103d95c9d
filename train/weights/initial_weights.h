#pragma once
// model.init_from: starts from the weights of another run, for fine-tuning.

#include <string>
#include <vector>

#include "core/parameters.h"
#include "train/storage/training_state.h"

namespace calque {

struct InitialWeights {
  std::vector<std::string> notes;  // lines for the log
  BaseWeights origin;              // the file
};

// Fills every parameter that has the same name and shape in the checkpoint. `from` is a run, one of
// its checkpoints, or a safetensors file. The notes tell the number of parameters that were filled,
// and the reason for each that was not. Throws an Error if nothing matches, or if a parameter with
// one row per token matches but the checkpoint's tokenizer has another hash: its rows would belong
// to other tokens. Of a run with an adapter the merged weights are taken; all must match.
InitialWeights load_initial_weights(const std::string& from, const std::string& tokenizer_hash,
                                    Parameters& parameters);
// The same for a model with adapters. Throws an Error if a parameter of the base does not match.
InitialWeights load_initial_weights(const std::string& from, const std::string& tokenizer_hash,
                                    Parameters& base, Parameters& trained);

// The file of the weights of a run, a checkpoint or a safetensors file, as the base of an adapter.
BaseWeights base_weights(const std::string& of);

// Returns the path of the safetensors file that `of` names. `of` is a run, whose best checkpoint
// is used (or the last one if there is no best), a checkpoint's folder, or the file itself.
std::string weights_file(const std::string& of);

}  // namespace calque
