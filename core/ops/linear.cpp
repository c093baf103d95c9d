// y = activation(x w + b). The forward pass is one product that also adds the bias and applies
// relu; other activations take a second pass over the result, and gated ones are ops of their own.
// The backward pass takes one pass for activation and bias, and two products.

#include "core/ops.h"
#include "core/ops/activation.h"
#include "core/ops/row_sums.h"
#include "core/products/blas.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

struct Identity {
  static Vec value(Vec x) { return x; }
  static Vec slope(Vec) { return broadcast(1); }
};

// Calls body with the struct of the activation (core/ops/activation.h).
template <class Body>
void with_activation(Activation activation, Body&& body) {
  switch (activation) {
    case Activation::none:
      return body(Identity{});
    case Activation::relu:
      return body(Relu{});
    case Activation::gelu:
      return body(Gelu{});
    case Activation::gelu_tanh:
      return body(GeluTanh{});
    case Activation::silu:
      return body(Silu{});
    case Activation::swiglu:  // of two columns: linear() composes them
    case Activation::geglu:
    case Activation::geglu_tanh:
      break;
  }
}

// y = activation(z); y may be z.
void activate(Activation activation, const Values& z, const Values& y, int64_t rows, int64_t cols) {
  with_activation(activation, [&]<class Function>(Function) {
    for_rows(rows, cols, [&](int64_t begin, int64_t end) {
      map((end - begin) * cols, y.data() + begin * cols, Function::value, z.data() + begin * cols);
    });
  });
}

// Computes dz = dy slope(z) in place of dy, and writes or adds the sum of the rows of dz to db. For
// relu, z may be y, because the slope depends only on the sign.
void through_activation(Activation activation, real* dy, const real* z, Sink db, int64_t rows,
                        int64_t cols) {
  with_activation(activation, [&]<class Function>(Function) {
    sum_over_rows<1>(rows, cols, {db}, [&](int64_t begin, int64_t end, real* partial) {
      for (int64_t r = begin; r < end; ++r) {
        real* row = dy + r * cols;
        const auto gradient = [](Vec g, Vec v) { return g * Function::slope(v); };
        if (z) map(cols, row, gradient, row, z + r * cols);
        if (db.data) map_into(cols, partial, true, as_it_is, row);
      }
    });
  });
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b, Activation activation) {
  if (activation == Activation::swiglu) return swiglu(linear(x, w, b));
  if (activation == Activation::geglu) return geglu(linear(x, w, b));
  if (activation == Activation::geglu_tanh) return geglu_tanh(linear(x, w, b));
  require(w.shape().axes() == 2 && x.cols() == w.rows(), "linear: x is {} but w is {}", x.shape(),
          w.shape());
  require(!b || b.shape() == Shape{w.cols()}, "linear: w is {} but b is {}", w.shape(), b.shape());
  const int64_t rows = x.rows(), in = x.cols(), out = w.cols();
  Tensor y(x.shape().with_cols(out));
  const bool keep_z =
      activation != Activation::none && activation != Activation::relu && recording({&x, &w, &b});
  const Values z = keep_z ? Values(rows * out) : y.values();
  const bool relu = activation == Activation::relu;
  gemm({x.data(), rows, in}, {w.values(), in, out}, {z.data(), false}, 1, out,
       {b ? b.data() : nullptr, relu});
  if (activation != Activation::none && !relu) activate(activation, z, y.values(), rows, out);
  return record(
      "linear", y, {&x, &w, &b},
      [=, x = x.values(), w = w.values(), z = activation == Activation::none ? Values() : z,
       dx = x.gradient(), dw = w.gradient(), db = b.gradient()](Gradient& dy) {
        const Sink to_bias = db.open_if_wanted();
        if (db || z) {
          through_activation(activation, dy.scratch(), z ? z.data() : nullptr, to_bias, rows, out);
        }
        const Matrix dz(dy.data(), rows, out);
        if (dw) gemm(transposed({x, rows, in}), dz, dw.open());  // dw = x^T dz
        if (dx) gemm(dz, transposed({w, in, out}), dx.open());   // dx = dz w^T
      });
}

}  // namespace calque
