#include "train/machine_speed.h"

#include <algorithm>
#include <chrono>

#include "core/blas.h"

namespace calque {

double best_product_rate() {
  static const double rate = [] {
    constexpr int64_t size = 1024;
    const Tensor a = Tensor::full({size, size}, 1), b = Tensor::full({size, size}, 1);
    const Tensor c({size, size});
    double best = 0;
    for (int round = 0; round < 8; ++round) {
      const auto start = std::chrono::steady_clock::now();
      gemm({a.data(), size, size}, {b.data(), size, size}, c.data());
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      best = std::max(best, 2.0 * size * size * size / taken.count());
    }
    return best;
  }();
  return rate;
}

}  // namespace calque
