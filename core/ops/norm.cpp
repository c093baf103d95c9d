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
#include "core/simd_stream.h"

namespace calque {
namespace {

constexpr int64_t chunk = 8 * DropoutMask::group;

// to = x + factor y over one row, `first` being the number of its first element; returns the sum.
real add_dropped(const DropoutMask& mask, int64_t first, int64_t cols, const real* x, const real* y,
                 real* to) {
  alignas(64) real factors[chunk];
  Vec total{};
  for (int64_t c = 0; c < cols; c += chunk) {
    const int64_t count = std::min(chunk, cols - c);
    mask.factors(first + c, count, factors);
    map(
        count, to + c,
        [&](Vec u, Vec v, Vec f) {
          const Vec s = u + v * f;
          total += s;
          return s;
        },
        x + c, y + c, static_cast<const real*>(factors));
  }
  return sum(total);
}

// As map_into; past the caches if `past` and nothing is added.
template <class Function, class... Input>
void write(int64_t count, Sink to, bool past, Function function, const Input*... in) {
  if (past && !to.add) {
    map_past_caches(count, to.data, function, in...);
  } else {
    map_into(count, to.data, to.add, function, in...);
  }
}

// dy (+)= factor ds over at most a chunk.
void drop_gradient(const DropoutMask& mask, int64_t first, int64_t count, const real* ds, Sink dy,
                   bool past) {
  alignas(64) real factors[chunk];
  mask.factors(first, count, factors);
  write(
      count, dy, past, [](Vec v, Vec f) { return v * f; }, ds, static_cast<const real*>(factors));
}

// Results go past the caches (core/simd_stream.h) where they are large and each row is whole
// vectors of at most this many numbers, so that a row itself stays in the caches until it is done
// with.
constexpr int64_t widest_past = 4096;

// What the backward pass needs to know of the forward pass.
struct Kept {
  int64_t rows, cols;
  bool centred;  // layer norm; otherwise RMS norm
  bool past;     // the results are written past the caches
  DropoutMask mask;
  Values normal;   // h [rows, cols]; the place of the result itself when nothing follows
  Values inverse;  // 1 / deviation [rows]
  Values gain;
};

// What makes h of a row s: h = (s - mean) inverse.
struct Scale {
  real mean, inverse;
  Vec operator()(Vec v) const { return (v - mean) * inverse; }
};

// `total` is the sum of s. Meanwhile the row at `next` is on its way.
Scale scale_of(const real* s, int64_t cols, real total, bool centred, real epsilon,
               const real* next) {
  const real share = real(1) / static_cast<real>(cols), mean = centred ? total * share : 0;
  const auto square = [=](Vec v) { return (v - mean) * (v - mean); };
  const real variance =
      sum(sum_lanes(cols, meanwhile_fetching<For::reading>(next, square), s)) * share;
  return {mean, 1 / std::sqrt(variance + epsilon)};
}

// What makes the result of h: gain h + bias.
struct Affine {
  const real *gain, *bias;  // bias may be null
};

// h in the place of s, and out. Meanwhile the next row of y, and the places of the next results,
// are on their way.
void finish_row(int64_t cols, const Scale& scale, const Affine& affine, real* s, real* out,
                const real* next_y) {
  map(cols, s, meanwhile_fetching<For::reading>(next_y, scale), s);
  const auto next_s = [=](auto f) { return meanwhile_fetching<For::writing>(s + cols, f); };
  if (affine.bias)
    map(cols, out, next_s([](Vec v, Vec g, Vec b) { return v * g + b; }), s, affine.gain,
        affine.bias);
  else
    map(cols, out, next_s([](Vec v, Vec g) { return v * g; }), s, affine.gain);
}

// The same for a row of whole vectors and s in a place of its own, which stays in the caches; h and
// out go past them. Null for h: it is not kept.
void finish_row_past_caches(int64_t cols, const Scale& scale, const Affine& affine, const real* s,
                            real* h, real* out, const real* next_y) {
  const auto each = [=](auto result) {
    for (int64_t c = 0; c < cols; c += lanes) {
      const Vec v = scale(load(s + c));
      if (h) store_past_caches(h + c, v);
      store_past_caches(out + c, result(v, c));
      __builtin_prefetch(next_y + c);
    }
  };
  if (affine.bias)
    each([=](Vec v, int64_t c) { return v * load(affine.gain + c) + load(affine.bias + c); });
  else
    each([=](Vec v, int64_t c) { return v * load(affine.gain + c); });
}

void forward(const Kept& kept, const real* x, const real* y, const Affine& affine, real epsilon,
             real* out) {
  const int64_t cols = kept.cols;
  for_rows(kept.rows, cols * 2, [&](int64_t begin, int64_t end) {
    alignas(64) real own[widest_past];
    for (int64_t r = begin; r < end; ++r) {
      const int64_t at = r * cols, next = at + cols;
      real* h = kept.normal.data() + at;
      real* s = kept.past ? own : h;
      real total = 0;
      if (y) {
        total = add_dropped(kept.mask, at, cols, x + at, y + at, s);
      } else {
        std::copy_n(x + at, cols, s);
        if (kept.centred) total = sum(sum_lanes(cols, as_it_is, x + at));
      }
      const real* next_y = (y ? y : x) + next;
      const Scale scale = scale_of(s, cols, total, kept.centred, epsilon, x + next);
      kept.inverse.data()[r] = scale.inverse;
      if (kept.past) {
        finish_row_past_caches(cols, scale, affine, s, h == out + at ? nullptr : h, out + at,
                               next_y);
      } else {
        finish_row(cols, scale, affine, s, out + at, next_y);
      }
    }
    if (kept.past) finish_past_caches();
  });
}

// The two means that a row's backward pass needs, of u and u h with u = gain dout; adds dout h to
// dgain and dout to dbias on the way.
struct Means {
  real u, uh;
};
Means row_means(const Kept& kept, int64_t r, const real* dout, real* dgain, real* dbias) {
  const int64_t cols = kept.cols;
  const real share = real(1) / static_cast<real>(cols);
  Vec sum_u{}, sum_uh{};
  map(
      cols, dgain,
      [&](Vec before, Vec d, Vec v, Vec g) {
        const Vec u = d * g;
        sum_u += u;
        sum_uh += u * v;
        return before + d * v;
      },
      dgain, dout, kept.normal.data() + r * cols, kept.gain.data());
  if (dbias)
    map_into(cols, dbias, true, meanwhile_fetching<For::reading>(dout + cols, as_it_is), dout);
  return {kept.centred ? sum(sum_u) * share : 0, sum(sum_uh) * share};
}

// ds = (u - mean(u) - h mean(u h)) / deviation for one row; dx (+)= ds, dy (+)= factor ds.
void row_backward(const Kept& kept, int64_t r, const real* dout, const Means& mean, Sink dx,
                  Sink dy) {
  const int64_t first = r * kept.cols;
  const real inverse = kept.inverse.data()[r];
  alignas(64) real ds[chunk];
  for (int64_t c = 0; c < kept.cols; c += chunk) {
    const int64_t count = std::min(chunk, kept.cols - c), at = first + c;
    const real* h = kept.normal.data() + at;
    map(count, ds,
        meanwhile_fetching<For::reading>(
            h + kept.cols,
            [=](Vec d, Vec v, Vec g) { return (d * g - mean.u - v * mean.uh) * inverse; }),
        dout + at, h, kept.gain.data() + c);
    if (dx.data)
      write(count, {dx.data + at, dx.add}, kept.past, as_it_is, static_cast<const real*>(ds));
    if (dy.data) drop_gradient(kept.mask, at, count, ds, {dy.data + at, dy.add}, kept.past);
  }
}

struct Gradients {
  Gradient x, y, gain, bias;
};

void backward(const Kept& kept, const Gradients& d, const real* dout) {
  const int64_t cols = kept.cols;
  const Sink dx = d.x ? d.x.open() : Sink{}, dy = d.y ? d.y.open() : Sink{};
  const Sink dgain = d.gain ? d.gain.open() : Sink{}, dbias = d.bias ? d.bias.open() : Sink{};
  sum_over_rows<2>(kept.rows, cols, {dgain, dbias}, [&](int64_t begin, int64_t end, real* partial) {
    for (int64_t r = begin; r < end; ++r) {
      const Means mean =
          row_means(kept, r, dout + r * cols, partial, dbias.data ? partial + cols : nullptr);
      row_backward(kept, r, dout, mean, dx, dy);
    }
    if (kept.past) finish_past_caches();
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
  Tensor out(x.shape());
  const bool backward_follows = recording({&x, &y, &gain, &bias});
  const Kept kept{rows,
                  cols,
                  centred,
                  past_caches(rows * cols) && cols % lanes == 0 && cols <= widest_past,
                  y ? next_dropout_mask(op, p) : DropoutMask(),
                  backward_follows ? Values(rows * cols) : out.values(),
                  Values(rows),
                  gain.values()};
  forward(kept, x.data(), y ? y.data() : nullptr, {gain.data(), bias ? bias.data() : nullptr},
          epsilon, out.data());
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
                    parallel_for(rows * cols, long_piece(rows * cols, 8 * chunk),
                                 [&](int64_t begin, int64_t end) {
                                   for (int64_t i = begin; i < end; i += chunk) {
                                     drop_gradient(mask, i, std::min(chunk, end - i),
                                                   dout.data() + i, {to.data + i, to.add}, false);
                                   }
                                 });
                  }
                  if (dx) dx.accept(dout);
                });
}

}  // namespace calque
