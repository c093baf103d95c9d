// Layer norm (Ba et al. 2016) and RMS norm (Zhang and Sennrich 2019), alone or after a residual
// connection with dropout, in one pass over the rows each way.
//
//   s = x + dropout(y),  h = (s - mean(s)) / deviation(s),  out = gain h + bias
//
// With u = gain dout: ds = (u - mean(u) - h mean(u h)) / deviation. RMS norm is the same with the
// two means of the centring left out. Kept for the way back: h and one number a row.

#include "core/ops.h"
#include "core/ops/dropout_mask.h"
#include "core/ops/row_sums.h"
#include "core/parallel.h"
#include "core/simd.h"

namespace calque {
namespace {

constexpr int64_t chunk = 8 * DropoutMask::group;

// to = x + factor y over one row, `first` being the number of its first element.
void add_dropped(const DropoutMask& mask, int64_t first, int64_t cols, const real* x, const real* y,
                 real* to) {
  if (!mask.active()) {
    map(
        cols, to, [](Vec u, Vec v) { return u + v; }, x, y);
    return;
  }
  alignas(64) real factors[chunk];
  for (int64_t c = 0; c < cols; c += chunk) {
    const int64_t count = std::min(chunk, cols - c);
    mask.factors(first + c, count, factors);
    map(
        count, to + c, [](Vec u, Vec v, Vec f) { return u + v * f; }, x + c, y + c,
        static_cast<const real*>(factors));
  }
}

// dy (+)= factor ds over one row.
void drop_gradient(const DropoutMask& mask, int64_t first, int64_t cols, const real* ds, Sink dy) {
  if (!mask.active()) {
    map_into(
        cols, dy.data, dy.add, [](Vec v) { return v; }, ds);
    return;
  }
  alignas(64) real factors[chunk];
  for (int64_t c = 0; c < cols; c += chunk) {
    const int64_t count = std::min(chunk, cols - c);
    mask.factors(first + c, count, factors);
    map_into(
        count, dy.data + c, dy.add, [](Vec v, Vec f) { return v * f; }, ds + c,
        static_cast<const real*>(factors));
  }
}

// What the backward pass needs to know of the forward pass.
struct Kept {
  int64_t rows, cols;
  bool centred;  // layer norm; otherwise RMS norm
  DropoutMask mask;
  Values normal;   // h [rows, cols]
  Values inverse;  // 1 / deviation [rows]
  Values gain;
};

// Normalises the row in place; returns 1 / deviation.
real normalise(real* row, int64_t cols, bool centred, real epsilon) {
  const real share = real(1) / static_cast<real>(cols);
  const real mean = centred ? sum(sum_lanes(
                                  cols, [](Vec v) { return v; }, row)) *
                                  share
                            : 0;
  if (centred)
    map(
        cols, row, [=](Vec v) { return v - mean; }, row);
  const real variance = sum(sum_lanes(
                            cols, [](Vec v) { return v * v; }, row)) *
                        share;
  const real inverse = 1 / std::sqrt(variance + epsilon);
  map(
      cols, row, [=](Vec v) { return v * inverse; }, row);
  return inverse;
}

void forward(const Kept& kept, const real* x, const real* y, const real* bias, real epsilon,
             real* out) {
  const int64_t cols = kept.cols;
  const real* gain = kept.gain.data();
  for_rows(kept.rows, cols * 2, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      real* h = kept.normal.data() + r * cols;
      if (y)
        add_dropped(kept.mask, r * cols, cols, x + r * cols, y + r * cols, h);
      else
        std::copy_n(x + r * cols, cols, h);
      kept.inverse.data()[r] = normalise(h, cols, kept.centred, epsilon);
      if (bias)
        map(
            cols, out + r * cols, [](Vec v, Vec g, Vec b) { return v * g + b; }, h, gain, bias);
      else
        map(
            cols, out + r * cols, [](Vec v, Vec g) { return v * g; }, h, gain);
    }
  });
}

// ds = (u - mean(u) - h mean(u h)) / deviation for one row, u = gain dout; adds dout h to dgain and
// dout to dbias on the way.
void row_backward(const Kept& kept, int64_t r, const real* dout, real* dgain, real* dbias,
                  real* ds) {
  const int64_t cols = kept.cols;
  const real* h = kept.normal.data() + r * cols;
  const real* gain = kept.gain.data();
  const real share = real(1) / static_cast<real>(cols), inverse = kept.inverse.data()[r];
  Vec sum_u{}, sum_uh{};
  map(
      cols, dgain,
      [&](Vec before, Vec d, Vec v, Vec g) {
        const Vec u = d * g;
        sum_u += u;
        sum_uh += u * v;
        return before + d * v;
      },
      dgain, dout, h, gain);
  if (dbias)
    map(
        cols, dbias, [](Vec before, Vec d) { return before + d; }, dbias, dout);
  const real mean_u = kept.centred ? sum(sum_u) * share : 0, mean_uh = sum(sum_uh) * share;
  map(
      cols, ds, [=](Vec d, Vec v, Vec g) { return (d * g - mean_u - v * mean_uh) * inverse; }, dout,
      h, gain);
}

struct Gradients {
  Gradient x, y, gain, bias;
};

void backward(const Kept& kept, const Gradients& d, const real* dout) {
  const int64_t cols = kept.cols;
  const Sink dx = d.x ? d.x.open() : Sink{}, dy = d.y ? d.y.open() : Sink{};
  const Sink dgain = d.gain ? d.gain.open() : Sink{}, dbias = d.bias ? d.bias.open() : Sink{};
  sum_over_rows<2>(kept.rows, cols, {dgain, dbias}, [&](int64_t begin, int64_t end, real* partial) {
    Buffer<real> ds(cols);
    for (int64_t r = begin; r < end; ++r) {
      row_backward(kept, r, dout + r * cols, partial, dbias.data ? partial + cols : nullptr,
                   ds.data());
      if (dx.data) {
        map_into(
            cols, dx.data + r * cols, dx.add, [](Vec v) { return v; },
            static_cast<const real*>(ds.data()));
      }
      if (dy.data) {
        drop_gradient(kept.mask, r * cols, cols, ds.data(), {dy.data + r * cols, dy.add});
      }
    }
  });
}

// All four ops: y and bias may be absent.
Tensor norm(const char* op, const Tensor& x, const Tensor& y, real p, const Tensor& gain,
            const Tensor& bias, bool centred, real epsilon) {
  const int64_t rows = x.rows(), cols = x.cols();
  require(!y || x.shape() == y.shape(), "{}: x is {} but y is {}", op, x.shape(), y.shape());
  require(gain.shape() == Shape{cols} && (!bias || bias.shape() == Shape{cols}),
          "{}: x is {} but gain is {}{}", op, x.shape(), gain.shape(),
          bias ? fmt::format(" and bias {}", bias.shape()) : "");
  const Kept kept{rows,
                  cols,
                  centred,
                  y ? next_dropout_mask(op, p) : DropoutMask(),
                  Values(rows * cols),
                  Values(rows),
                  gain.values()};
  Tensor out(x.shape());
  forward(kept, x.data(), y ? y.data() : nullptr, bias ? bias.data() : nullptr, epsilon,
          out.data());
  return record(op, out, {&x, &y, &gain, &bias},
                [kept, d = Gradients{x.gradient(), y.gradient(), gain.gradient(), bias.gradient()}](
                    Gradient& dout) { backward(kept, d, dout.data()); });
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, real epsilon) {
  return norm("layer_norm", x, {}, 0, gain, bias, true, epsilon);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, real epsilon) {
  return norm("rms_norm", x, {}, 0, gain, {}, false, epsilon);
}

Tensor residual_norm(const Tensor& x, const Tensor& y, real p, const Tensor& gain,
                     const Tensor& bias, real epsilon) {
  return norm("residual_norm", x, y, p, gain, bias, static_cast<bool>(bias), epsilon);
}

Tensor residual(const Tensor& x, const Tensor& y, real p) {
  require(x.shape() == y.shape(), "residual: x is {} but y is {}", x.shape(), y.shape());
  const DropoutMask mask = next_dropout_mask("residual", p);
  const int64_t rows = x.rows(), cols = x.cols();
  Tensor out(x.shape());
  for_rows(rows, cols, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t at = r * cols;
      add_dropped(mask, at, cols, x.data() + at, y.data() + at, out.data() + at);
    }
  });
  return record("residual", out, {&x, &y},
                [=, dx = x.gradient(), dy = y.gradient()](Gradient& dout) {
                  if (dy) {
                    const Sink to = dy.open();
                    for_rows(rows, cols, [&](int64_t begin, int64_t end) {
                      for (int64_t r = begin; r < end; ++r) {
                        drop_gradient(mask, r * cols, cols, dout.data() + r * cols,
                                      {to.data + r * cols, to.add});
                      }
                    });
                  }
                  if (dx) dx.accept(dout);
                });
}

}  // namespace calque
