#pragma once
// Makes a run of another engine's model.

#include <string>

namespace calque {

// Writes the new folder `run` with the model at `place`, a folder or a file: a checkpoint, a
// config.yaml, and a finetune.yaml that trains it further. Throws an Error for a model that is
// damaged, or that calque cannot represent.
void import_run(const std::string& place, const std::string& run);

}  // namespace calque
