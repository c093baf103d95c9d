#include "core/trace.h"

#include <utility>

namespace calque {

void Trace::inputs(std::span<const Tensor* const> inputs) {
  inputs_.clear();
  for (const Tensor* input : inputs) {
    if (!*input) continue;
    const Gradient& gradient = input->gradient();
    inputs_.push_back({input->shape(), gradient ? gradient.identity() : nullptr});
  }
}

void Trace::forward(const char* op, const Shape& shape, const Gradient& dy) {
  const double time = seconds();
  nodes_.push_back({op, shape, dy.identity(), std::exchange(inputs_, {}), time});
  begin();
}

void Trace::backward(size_t node) {
  nodes_[node].backward = seconds();
  begin();
}

}  // namespace calque
