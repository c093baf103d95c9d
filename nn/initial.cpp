#include "nn/initial.h"

#include <cmath>
#include <utility>

namespace calque {

Initial xavier_uniform(int64_t in, int64_t out) {
  return uniform(static_cast<real>(std::sqrt(6.0 / static_cast<double>(in + out))));
}

Initial embedding_normal(int64_t d_model) {
  return normal(static_cast<real>(1 / std::sqrt(static_cast<double>(d_model))));
}

Initial scaled(Initial initial, real factor) {
  return [initial = std::move(initial), factor](const Stream& stream, const Shape& shape,
                                                std::span<real> values) {
    initial(stream, shape, values);
    for (real& value : values) value *= factor;
  };
}

}  // namespace calque
