#pragma once
// model.init_from: starting from the weights of another run, for fine-tuning.

#include <string>
#include <vector>

#include "core/parameters.h"

namespace calque {

// Fills every parameter that the checkpoint has under the same name and shape. `from` is a run, one
// of its checkpoints, or a safetensors file. Returns what matched and what did not, a line each;
// throws Error if nothing matches, or if a parameter with a row for each token would, and the
// checkpoint's tokenizer does not have this hash: then every row would mean another token.
std::vector<std::string> load_initial_weights(const std::string& from,
                                              const std::string& tokenizer_hash,
                                              Parameters& parameters);

// The safetensors file with the weights of a run (its best checkpoint, or else its last), of a
// checkpoint's folder, or the file itself.
std::string weights_file(const std::string& of);

}  // namespace calque
