// Functions of one element (linear() also applies the activations), and SwiGLU (Shazeer 2020).
// A backward closure keeps either the input or the output, whichever the derivative needs.

#include "core/ops.h"
#include "core/ops/activation.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

// The cost of an element, in additions.
constexpr int64_t simple = 1, exponential = 4;

enum class Keeps { input, output };

// y = f(x); dx = dy slope(k), where k is what the closure keeps.
template <class F, class Slope>
Tensor unary(const char* op, const Tensor& x, int64_t cost, F f, Keeps keeps, Slope slope) {
  Tensor y(x.shape());
  const int64_t size = x.size();
  for_rows(size, cost, [&](int64_t b, int64_t e) { map(e - b, y.data() + b, f, x.data() + b); });
  const Values& kept = keeps == Keeps::input ? x.values() : y.values();
  return record(op, y, {&x}, [=, dx = x.gradient()](Gradient& dy) {
    const Sink out = dx.open();
    const auto gradient = [slope](Vec g, Vec k) { return g * slope(k); };
    for_rows(size, cost, [&](int64_t b, int64_t e) {
      map_into(e - b, out.data + b, out.add, gradient, dy.data() + b, kept.data() + b);
    });
  });
}

template <class Function>
Tensor activation(const char* op, const Tensor& x) {
  return unary(op, x, exponential, Function::value, Keeps::input, Function::slope);
}

}  // namespace

Tensor exp(const Tensor& x) {
  const auto f = [](Vec v) { return exp(v); };
  return unary("exp", x, exponential, f, Keeps::output, as_it_is);
}

Tensor log(const Tensor& x) {
  const auto f = [](Vec v) { return log(v); };
  return unary("log", x, exponential, f, Keeps::input, [](Vec v) { return real(1) / v; });
}

Tensor square(const Tensor& x) {
  const auto f = [](Vec v) { return v * v; };
  return unary("square", x, simple, f, Keeps::input, [](Vec v) { return 2 * v; });
}

Tensor sqrt(const Tensor& x) {
  const auto f = [](Vec v) { return sqrt(v); };
  return unary("sqrt", x, simple, f, Keeps::output, [](Vec y) { return real(0.5) / y; });
}

Tensor tanh(const Tensor& x) {
  const auto f = [](Vec v) { return tanh(v); };
  return unary("tanh", x, exponential, f, Keeps::output, [](Vec y) { return 1 - y * y; });
}

Tensor sigmoid(const Tensor& x) {
  const auto f = [](Vec v) { return sigmoid(v); };
  return unary("sigmoid", x, exponential, f, Keeps::output, [](Vec y) { return y * (1 - y); });
}

Tensor relu(const Tensor& x) {
  return unary("relu", x, simple, Relu::value, Keeps::output, Relu::slope);
}
Tensor gelu(const Tensor& x) { return activation<Gelu>("gelu", x); }
Tensor gelu_tanh(const Tensor& x) { return activation<GeluTanh>("gelu_tanh", x); }
Tensor silu(const Tensor& x) { return activation<Silu>("silu", x); }

namespace {

// value(a) b of the halves a and b of each row.
template <class Function>
Tensor gated_activation(const char* op, const Tensor& x) {
  require(x.cols() % 2 == 0, "{}: {} has an odd number of columns", op, x.shape());
  const int64_t rows = x.rows(), n = x.cols() / 2;
  Tensor y(x.shape().with_cols(n));
  const auto gated = [](Vec u, Vec v) { return Function::value(u) * v; };
  for_each_row(rows, n * 4, [&](int64_t r) {
    const real* a = x.data() + r * 2 * n;
    map(n, y.data() + r * n, gated, a, a + n);
  });
  return record(op, y, {&x}, [rows, n, x = x.values(), dx = x.gradient()](Gradient& dy) {
    const Sink out = dx.open();
    const auto to_gate = [](Vec d, Vec u, Vec v) { return d * Function::slope(u) * v; };
    const auto to_value = [](Vec d, Vec u) { return d * Function::value(u); };
    for_each_row(rows, n * 8, [&](int64_t r) {
      const real *a = x.data() + r * 2 * n, *g = dy.data() + r * n;
      real* da = out.data + r * 2 * n;
      map_into(n, da, out.add, to_gate, g, a, a + n);
      map_into(n, da + n, out.add, to_value, g, a);
    });
  });
}

}  // namespace

Tensor swiglu(const Tensor& x) { return gated_activation<Silu>("swiglu", x); }
Tensor geglu(const Tensor& x) { return gated_activation<Gelu>("geglu", x); }
Tensor geglu_tanh(const Tensor& x) { return gated_activation<GeluTanh>("geglu_tanh", x); }

}  // namespace calque
