// The programs of docs/library.md with the exact bits of their results, for programs_test.py. The
// second is the one of the page itself; of the first, which only prints, this is the loop.
#define DOCTEST_CONFIG_DISABLE
#include <cstdio>

#include "core/ops.h"
#include "nn/example.cpp"

int main() {
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
  const double nll = train();
  std::printf("%a %a %a\n%a\n", double(w.data()[0]), double(w.data()[1]), double(w.data()[2]), nll);
}
