#pragma once
// model.init_from: starts from the weights of another run, for fine-tuning.

#include <string>
#include <vector>

#include "core/parameters.h"

namespace calque {

// Fills every parameter that has the same name and shape in the checkpoint. `from` is a run, one of
// its checkpoints, or a safetensors file. Returns lines for the log: the number of parameters that
// were filled, and the reason for each that was not. Throws an Error if nothing matches, or if a
// parameter with one row per token matches but the checkpoint's tokenizer has another hash: its
// rows would belong to other tokens.
std::vector<std::string> load_initial_weights(const std::string& from,
                                              const std::string& tokenizer_hash,
                                              Parameters& parameters);

// Returns the path of the safetensors file that `of` names. `of` is a run, whose best checkpoint
// is used (or the last one if there is no best), a checkpoint's folder, or the file itself.
std::string weights_file(const std::string& of);

}  // namespace calque
