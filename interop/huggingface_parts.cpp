#include "interop/huggingface_parts.h"

namespace calque {

void add_norm(TensorList& list, const std::string& name, const Norm& norm) {
  list.push_back({name + ".weight", norm.gain});
  if (norm.bias) list.push_back({name + ".bias", norm.bias});
}

std::string activation_name(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::relu:
      return "relu";
    case FeedForwardKind::gelu:
      return "gelu";
    case FeedForwardKind::silu:
    case FeedForwardKind::swiglu:
      return "silu";
  }
  return {};
}

}  // namespace calque
