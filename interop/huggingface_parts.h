#pragma once
// What the exports to transformers share.

#include <string>

#include "interop/tensor_list.h"
#include "nn/norm.h"
#include "nn/options.h"

namespace calque {

// NAME.weight and NAME.bias.
void add_norm(TensorList& list, const std::string& name, const Norm& norm);

// The library's name for the function. It calls the first factor of SwiGLU silu.
std::string activation_name(FeedForwardKind kind);

}  // namespace calque
