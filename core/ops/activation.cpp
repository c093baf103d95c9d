// The activation functions as ops of their own (linear() also applies them), and the gated SwiGLU
// of Shazeer 2020. Only the input is kept: the slope is computed again in the backward pass.

#include "core/ops/activation.h"

#include "core/ops.h"
#include "core/parallel.h"

namespace calque {
namespace {

// What an element costs beside an addition.
constexpr int64_t simple = 1, exponential = 4;

template <class Function>
Tensor activation(const char* op, const Tensor& x, int64_t cost) {
  Tensor y(x.shape());
  const int64_t size = x.size();
  for_rows(size, cost,
           [&](int64_t b, int64_t e) { map(e - b, y.data() + b, Function::value, x.data() + b); });
  return record(op, y, {&x}, [size, cost, x = x.values(), dx = x.gradient()](Gradient& dy) {
    const Sink out = dx.open();
    for_rows(size, cost, [&](int64_t b, int64_t e) {
      map_into(
          e - b, out.data + b, out.add, [](Vec g, Vec v) { return g * Function::slope(v); },
          dy.data() + b, x.data() + b);
    });
  });
}

}  // namespace

Tensor relu(const Tensor& x) { return activation<Relu>("relu", x, simple); }
Tensor gelu(const Tensor& x) { return activation<Gelu>("gelu", x, exponential); }
Tensor gelu_tanh(const Tensor& x) { return activation<GeluTanh>("gelu_tanh", x, exponential); }
Tensor silu(const Tensor& x) { return activation<Silu>("silu", x, exponential); }

Tensor swiglu(const Tensor& x) {
  require(x.cols() % 2 == 0, "swiglu: {} has an odd number of columns", x.shape());
  const int64_t rows = x.rows(), n = x.cols() / 2;
  Tensor y(x.shape().with_cols(n));
  for_rows(rows, n * 4, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const real* a = x.data() + r * 2 * n;
      map(
          n, y.data() + r * n, [](Vec u, Vec v) { return Silu::value(u) * v; }, a, a + n);
    }
  });
  return record("swiglu", y, {&x}, [rows, n, x = x.values(), dx = x.gradient()](Gradient& dy) {
    const Sink out = dx.open();
    for_rows(rows, n * 8, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const real* a = x.data() + r * 2 * n;
        const real* g = dy.data() + r * n;
        real* da = out.data + r * 2 * n;
        map_into(
            n, da, out.add, [](Vec d, Vec u, Vec v) { return d * Silu::slope(u) * v; }, g, a,
            a + n);
        map_into(
            n, da + n, out.add, [](Vec d, Vec u) { return d * Silu::value(u); }, g, a);
      }
    });
  });
}

}  // namespace calque
