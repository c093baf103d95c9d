#include "nn/initial.h"

#include <cmath>

namespace calque {

Initial xavier_uniform(int64_t in, int64_t out) {
  return uniform(static_cast<real>(std::sqrt(6.0 / static_cast<double>(in + out))));
}

Initial embedding_normal(int64_t d_model) {
  return normal(static_cast<real>(1 / std::sqrt(static_cast<double>(d_model))));
}

}  // namespace calque
