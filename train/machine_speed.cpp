#include "train/machine_speed.h"

#include <algorithm>
#include <chrono>

#include "core/blas.h"
#include "core/parallel.h"

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

double best_memory_rate() {
  static const double rate = [] {
    constexpr int64_t size = int64_t{1} << 24;  // 64 MB each, which no cache holds
    const Tensor a = Tensor::full({size}, 1), b = Tensor::full({size}, 1),
                 c = Tensor::zeros({size});
    const auto work = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) c.data()[i] = a.data()[i] + b.data()[i];
    };
    double best = 0;
    for (int round = 0; round < 4; ++round) {
      const auto start = std::chrono::steady_clock::now();
      parallel_for(size, 1 << 16, work);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      best = std::max(best, 3.0 * size * sizeof(real) / taken.count());
    }
    return best;
  }();
  return rate;
}

}  // namespace calque
