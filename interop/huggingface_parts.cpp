#include "interop/huggingface_parts.h"

namespace calque {

std::string activation_name(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::relu:
      return "relu";
    case FeedForwardKind::gelu:
      return "gelu";
    case FeedForwardKind::gelu_tanh:
      return "gelu_new";
    case FeedForwardKind::silu:
    case FeedForwardKind::swiglu:
      return "silu";
  }
  return {};
}

}  // namespace calque
