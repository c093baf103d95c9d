#include "core/shape.h"

namespace calque {

std::string Shape::text() const {
  std::string text = "[";
  for (int i = 0; i < axes_; ++i) text += (i ? ", " : "") + std::to_string(sizes_[i]);
  return text + "]";
}

}  // namespace calque
