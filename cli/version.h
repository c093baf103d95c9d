#pragma once
// What `calque --version` prints, to tell builds and machines apart.

#include <string>

namespace calque {

std::string version_text();

}  // namespace calque
