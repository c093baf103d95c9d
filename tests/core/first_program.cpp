// The first program of docs/library.md; tests/library.cmake checks that the page shows these lines.
// [example]
#include <cstdio>

#include "core/ops.h"

using namespace calque;

int main() {
  // 21 points of the parabola y = 2 t^2 - 3 t + 1. Each row of x is (t^2, t, 1).
  Tensor x({21, 3}), y({21, 1});
  for (int i = 0; i <= 20; ++i) {
    const real t = real(i - 10) / 10;
    x.data()[3 * i] = t * t, x.data()[3 * i + 1] = t, x.data()[3 * i + 2] = 1;
    y.data()[i] = 2 * t * t - 3 * t + 1;
  }
  const Tensor w = variable(Tensor::zeros({3, 1}));
  for (int step = 0; step < 500; ++step) {
    const Tape tape;
    backward(mean(square(matmul(x, w) - y)));
    for (int k = 0; k < 3; ++k) w.data()[k] -= real(0.5) * w.gradient().span()[k];
    w.gradient().clear();
  }
  std::printf("%.3f x^2 %+.3f x %+.3f\n", double(w.data()[0]), double(w.data()[1]),
              double(w.data()[2]));
}
// [example]
