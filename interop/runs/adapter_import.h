#pragma once
// Makes a run of an adapter of PEFT.

#include <string>

namespace calque {

// Writes the new folder `run` with the adapter in the folder `place`, over the weights of the run
// `base`, which must be a plain one. Throws an Error for an adapter that is damaged, that does not
// fit the base, or that calque cannot represent.
void import_adapter(const std::string& place, const std::string& base, const std::string& run);

}  // namespace calque
