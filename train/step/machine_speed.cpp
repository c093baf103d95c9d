#include "train/step/machine_speed.h"

#include <algorithm>

#include "core/stopwatch.h"
#include "core/threads/parallel.h"

namespace calque {

namespace {

// The best rate of 2 to 8 rounds of work, in about a tenth of a second.
template <class Work>
double best_rate(double amount, Work&& work) {
  double best = 0, spent = 0;
  for (int round = 0; round < 2 || (round < 8 && spent < 0.1); ++round) {
    const Stopwatch watch;
    work();
    const double taken = watch.seconds();
    best = std::max(best, amount / taken);
    spent += taken;
  }
  return best;
}

double measured_product_rate(Precision precision) {
  const ProductPrecision rounding(precision);
  constexpr int64_t size = 1024;
  const Tensor a = Tensor::full({size, size}, 1), b = Tensor::full({size, size}, 1);
  const Tensor c({size, size});
  return best_rate(2.0 * size * size * size, [&] {
    gemm({a.data(), size, size}, {b.data(), size, size}, c.data());
  });
}

}  // namespace

double best_product_rate(Precision precision) {
  if (precision == Precision::full) {
    static const double rate = measured_product_rate(Precision::full);
    return rate;
  }
  static const double rate = measured_product_rate(precision);
  return rate;
}

double best_memory_rate() {
  static const double rate = [] {
    constexpr int64_t size = int64_t{1} << 24;  // 64 MB of float each: larger than most caches
    const Tensor a = Tensor::full({size}, 1), b = Tensor::full({size}, 1),
                 c = Tensor::zeros({size});
    return best_rate(3.0 * size * sizeof(real), [&] {
      parallel_for(size, 1 << 16, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) c.data()[i] = a.data()[i] + b.data()[i];
      });
    });
  }();
  return rate;
}

}  // namespace calque
