#pragma once
// What the exports to transformers share.

#include <string>

#include "nn/options.h"

namespace calque {

// The library's name for the function. It calls the first factor of SwiGLU silu.
std::string activation_name(FeedForwardKind kind);

}  // namespace calque
