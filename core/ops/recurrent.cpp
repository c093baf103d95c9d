// Steps of recurrent networks. The caller computes the products with the weights by linear(); these
// ops compute the gates. The closures keep the gates.

#include <algorithm>
#include <memory>
#include <vector>

#include "core/ops.h"
#include "core/simd/math.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

constexpr int64_t gate_cost = 16;  // of an element, in additions

void check_step(const char* op, const Tensor& x, const Tensor& u, const Tensor& state,
                int64_t gates, int64_t width) {
  const int64_t h = state.cols() / width;
  require(state.shape().axes() == 2 && state.cols() == h * width && x.shape() == u.shape() &&
              x.shape() == Shape{state.rows(), gates * h},
          "{}: x is {}, u is {}, the state is {}", op, x.shape(), u.shape(), state.shape());
}

std::shared_ptr<Buffer<real>> gates_of(int64_t rows, int64_t cols) {
  return std::make_shared<Buffer<real>>(std::max<int64_t>(1, rows * cols));
}

// The gradients of a row's gates r, z, n before their activations. `u` is the part of u for n.
void gru_gate_gradients(int64_t h, const real* dy, const real* gates, const real* u,
                        const real* state, real* out) {
  const real *r = gates, *z = r + h, *n = z + h;
  real *dr = out, *dz = dr + h, *dn = dz + h;
  const auto of_n = [](Vec d, Vec a, Vec b) { return d * (1 - a) * (1 - b * b); };
  const auto of_z = [](Vec d, Vec a, Vec b, Vec s) { return d * (s - b) * a * (1 - a); };
  const auto of_r = [](Vec d, Vec b, Vec a) { return d * b * a * (1 - a); };
  map(h, dn, of_n, dy, z, n);
  map(h, dz, of_z, dy, z, n, state);
  map(h, dr, of_r, dn, u, r);
}

// The gradients of a row's gates i, f, n, o before their activations, and of the cell. `dy` and `y`
// have hidden beside cell.
void lstm_gate_gradients(int64_t h, const real* dy, const real* gates, const real* y,
                         const real* cell_before, real* out, real* d_cell) {
  const real *i = gates, *f = i + h, *n = f + h, *o = n + h, *cell = y + h;
  real *di = out, *df = di + h, *dn = df + h, *d_o = dn + h;
  const auto of_cell = [](Vec d, Vec dc, Vec a, Vec c) {
    const Vec t = tanh(c);
    return dc + d * a * (1 - t * t);
  };
  const auto of_gate = [](Vec d, Vec other, Vec v) { return d * other * v * (1 - v); };
  const auto of_n = [](Vec d, Vec a, Vec b) { return d * a * (1 - b * b); };
  const auto of_o = [](Vec d, Vec c, Vec a) { return d * tanh(c) * a * (1 - a); };
  map(h, d_cell, of_cell, dy, dy + h, o, cell);
  map(h, di, of_gate, d_cell, n, i);
  map(h, df, of_gate, d_cell, cell_before, f);
  map(h, dn, of_n, d_cell, i, n);
  map(h, d_o, of_o, dy, cell, o);
}

const auto sigmoid_of_sum = [](Vec a, Vec b) { return sigmoid(a + b); };
const auto tanh_of_sum = [](Vec a, Vec b) { return tanh(a + b); };

}  // namespace

Tensor gru_step(const Tensor& x, const Tensor& u, const Tensor& state) {
  check_step("gru_step", x, u, state, 3, 1);
  const int64_t rows = state.rows(), h = state.cols();
  Tensor y(state.shape());
  const auto gates = gates_of(rows, 3 * h);
  const auto fresh = [](Vec a, Vec g, Vec b) { return tanh(a + g * b); };
  const auto mixed = [](Vec z, Vec n, Vec s) { return n + z * (s - n); };
  for_each_row(rows, h * gate_cost, [&](int64_t row) {
    const real *xr = x.data() + row * 3 * h, *ur = u.data() + row * 3 * h;
    real *r = gates->data() + row * 3 * h, *z = r + h, *n = z + h;
    map(2 * h, r, sigmoid_of_sum, xr, ur);
    map(h, n, fresh, xr + 2 * h, r, ur + 2 * h);
    map(h, y.data() + row * h, mixed, z, n, state.data() + row * h);
  });
  const auto backward = [=, u = u.values(), state = state.values(), dx = x.gradient(),
                         du = u.gradient(), ds = state.gradient()](Gradient& dy) {
    const Sink to_x = dx.open_if_wanted(), to_u = du.open_if_wanted(), to_s = ds.open_if_wanted();
    for_rows(rows, h * gate_cost, [&](int64_t begin, int64_t end) {
      std::vector<real> of_gates(static_cast<size_t>(3 * h));
      for (int64_t row = begin; row < end; ++row) {
        const real *r = gates->data() + row * 3 * h, *z = r + h, *g = dy.data() + row * h;
        const real* d = of_gates.data();
        gru_gate_gradients(h, g, r, u.data() + (row * 3 + 2) * h, state.data() + row * h,
                           of_gates.data());
        if (to_x.data) map_into(3 * h, to_x.data + row * 3 * h, to_x.add, as_it_is, d);
        if (to_u.data) {
          real* const out = to_u.data + row * 3 * h;
          map_into(2 * h, out, to_u.add, as_it_is, d);
          map_into(h, out + 2 * h, to_u.add, times, d + 2 * h, r);
        }
        if (to_s.data) map_into(h, to_s.data + row * h, to_s.add, times, g, z);
      }
    });
  };
  return record("gru_step", y, {&x, &u, &state}, backward);
}

Tensor lstm_step(const Tensor& x, const Tensor& u, const Tensor& state) {
  check_step("lstm_step", x, u, state, 4, 2);
  const int64_t rows = state.rows(), h = state.cols() / 2;
  Tensor y(state.shape());
  const auto gates = gates_of(rows, 4 * h);
  const auto kept = [](Vec f, Vec c, Vec i, Vec n) { return f * c + i * n; };
  const auto shown = [](Vec o, Vec c) { return o * tanh(c); };
  for_each_row(rows, h * gate_cost, [&](int64_t row) {
    const real *xr = x.data() + row * 4 * h, *ur = u.data() + row * 4 * h;
    real *i = gates->data() + row * 4 * h, *f = i + h, *n = f + h, *o = n + h;
    real *hidden = y.data() + row * 2 * h, *cell = hidden + h;
    map(2 * h, i, sigmoid_of_sum, xr, ur);
    map(h, n, tanh_of_sum, xr + 2 * h, ur + 2 * h);
    map(h, o, sigmoid_of_sum, xr + 3 * h, ur + 3 * h);
    map(h, cell, kept, f, state.data() + row * 2 * h + h, i, n);
    map(h, hidden, shown, o, cell);
  });
  const auto backward = [=, y = y.values(), state = state.values(), dx = x.gradient(),
                         du = u.gradient(), ds = state.gradient()](Gradient& dy) {
    const Sink to_x = dx.open_if_wanted(), to_u = du.open_if_wanted(), to_s = ds.open_if_wanted();
    for_rows(rows, h * gate_cost, [&](int64_t begin, int64_t end) {
      std::vector<real> of_gates(static_cast<size_t>(4 * h)), of_cell(static_cast<size_t>(h));
      for (int64_t row = begin; row < end; ++row) {
        const real *i = gates->data() + row * 4 * h, *f = i + h;
        lstm_gate_gradients(h, dy.data() + row * 2 * h, i, y.data() + row * 2 * h,
                            state.data() + row * 2 * h + h, of_gates.data(), of_cell.data());
        for (const Sink& to : {to_x, to_u}) {
          if (to.data) map_into(4 * h, to.data + row * 4 * h, to.add, as_it_is, of_gates.data());
        }
        if (!to_s.data) continue;
        real* const out = to_s.data + row * 2 * h;
        if (!to_s.add) std::fill_n(out, h, real(0));  // the hidden half acts only through u
        map_into(h, out + h, to_s.add, times, of_cell.data(), f);
      }
    });
  };
  return record("lstm_step", y, {&x, &u, &state}, backward);
}

}  // namespace calque
