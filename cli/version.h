#pragma once
// What `calque --version` prints: enough to tell two builds and two machines apart.

#include <string>

namespace calque {

std::string version_text();

}  // namespace calque
