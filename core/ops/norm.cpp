// The residual connection with dropout, layer norm (Ba et al. 2016) and RMS norm (Zhang and
// Sennrich 2019), and a norm after a residual connection in one pass over the rows, both forward
// and backward.
//
//   s = x + dropout(y),  h = (s - mean(s)) / deviation(s),  out = gain h + bias
//
// With u = gain dout: ds = (u - mean(u) - h mean(u h)) / deviation. RMS norm omits the two means
// mean(s) and mean(u). The backward pass recomputes h = (out - bias) / gain from the result, which
// the op that follows keeps anyway: this saves 11% of the peak memory of the preset base, 10% of
// small.

#include <optional>

#include "core/ops.h"
#include "core/ops/dropout_mask.h"
#include "core/ops/row_sums.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

// The number of elements whose dropout factors are computed at a time.
constexpr int64_t dropped_chunk = DropoutMask::group;

// to = x + factor y over one row; `first` is the index of its first element. Returns the sum.
real add_dropped(const DropoutMask& mask, int64_t first, int64_t cols, const real* x, const real* y,
                 real* to) {
  alignas(64) real factors[dropped_chunk];
  Vec total{};
  const auto add = [&](Vec u, Vec v, Vec f) {
    const Vec s = u + v * f;
    total += s;
    return s;
  };
  for (int64_t c = 0; c < cols; c += dropped_chunk) {
    const int64_t count = std::min(dropped_chunk, cols - c);
    mask.factors(first + c, count, factors);
    map(count, to + c, add, x + c, y + c, static_cast<const real*>(factors));
  }
  return sum(total);
}

// v -> factor v + offset, with a factor and an offset for each column.
struct Affine {
  Values factor, offset;
};

Affine identity(int64_t cols) {
  return {Tensor::full({cols}, 1).values(), Tensor::zeros({cols}).values()};
}

// The map from the result to h: 1 / gain and -bias / gain. Absent if a gain is nearly 0, or if a
// bias is so much larger than its gain that h would lose more than one of seven decimal digits (the
// ratio is below 5 in trained models); then h itself is kept.
std::optional<Affine> inverse_of(const Affine& affine, int64_t cols) {
  constexpr real most = 16, least = real(1e-6);
  const Affine inverse{Values(cols), Values(cols)};
  for (int64_t c = 0; c < cols; ++c) {
    const real g = affine.factor.data()[c], b = affine.offset.data()[c];
    if (!(std::abs(g) >= least && std::abs(b) <= most * std::abs(g))) return std::nullopt;
    inverse.factor.data()[c] = 1 / g;
    inverse.offset.data()[c] = -b / g;
  }
  return inverse;
}

// What the backward pass needs.
struct Saved {
  int64_t rows, cols;
  bool centred;  // layer norm; otherwise RMS norm
  DropoutMask mask;
  Values normal;   // the result, or h in memory of its own [rows, cols]
  Affine to_h;     // from `normal`
  Values inverse;  // 1 / deviation [rows]
  Values gain;
};

// h = (s - mean) inverse, for a row s.
struct Scale {
  real mean, inverse;
  Vec operator()(Vec v) const { return (v - mean) * inverse; }
};

// `total` is the sum of s.
Scale scale_of(const real* s, int64_t cols, real total, bool centred, real epsilon) {
  const real share = real(1) / static_cast<real>(cols), mean = centred ? total * share : 0;
  const auto square = [=](Vec v) { return (v - mean) * (v - mean); };
  const real variance = sum(sum_lanes(cols, square, s)) * share;
  return {mean, 1 / std::sqrt(variance + epsilon)};
}

void forward(const Saved& saved, const real* x, const real* y, const Affine& affine, real epsilon,
             real* out) {
  const int64_t cols = saved.cols;
  for_each_row(saved.rows, cols * 2, [&](int64_t r) {
    const int64_t at = r * cols;
    real* const h = saved.normal.data() + at;
    const real total = y               ? add_dropped(saved.mask, at, cols, x + at, y + at, h)
                       : saved.centred ? sum(sum_lanes(cols, as_it_is, x + at))
                                       : 0;
    const real* const s = y ? h : x + at;
    const Scale scale = scale_of(s, cols, total, saved.centred, epsilon);
    saved.inverse.data()[r] = scale.inverse;
    const auto result = [=](Vec v, Vec g, Vec b) { return scale(v) * g + b; };
    map(cols, out + at, result, s, affine.factor.data(), affine.offset.data());
    if (h != out + at) map(cols, h, scale, s);
  });
}

// mean(u) and mean(u h) of a row. Adds dout h to dgain and dout to dbias in the same pass.
struct Means {
  real u, uh;
};
Means row_means(const Saved& saved, int64_t r, const real* dout, real* dgain, real* dbias) {
  const int64_t cols = saved.cols;
  const real share = real(1) / static_cast<real>(cols);
  Vec sum_u{}, sum_uh{};
  const auto add_to_sums = [&](Vec before, Vec d, Vec v, Vec f, Vec o, Vec g) {
    const Vec u = d * g, h = v * f + o;
    sum_u += u;
    sum_uh += u * h;
    return before + d * h;
  };
  map(cols, dgain, add_to_sums, dgain, dout, saved.normal.data() + r * cols,
      saved.to_h.factor.data(), saved.to_h.offset.data(), saved.gain.data());
  if (dbias) map_into(cols, dbias, true, as_it_is, dout);
  return {saved.centred ? sum(sum_u) * share : 0, sum(sum_uh) * share};
}

// The gradient ds of a row; dx (+)= ds, dy (+)= factor ds with the factors of dropout.
void row_backward(const Saved& saved, int64_t r, const real* dout, const Means& mean, Sink dx,
                  Sink dy) {
  const real inverse = saved.inverse.data()[r];
  const auto gradient = [=](Vec d, Vec v, Vec f, Vec o, Vec g) {
    return (d * g - mean.u - (v * f + o) * mean.uh) * inverse;
  };
  alignas(64) real ds[dropped_chunk], factors[dropped_chunk];
  for (int64_t c = 0; c < saved.cols; c += dropped_chunk) {
    const int64_t count = std::min(dropped_chunk, saved.cols - c), at = r * saved.cols + c;
    map(count, ds, gradient, dout + at, saved.normal.data() + at, saved.to_h.factor.data() + c,
        saved.to_h.offset.data() + c, saved.gain.data() + c);
    const real* const read_ds = ds;
    if (dx.data) map_into(count, dx.data + at, dx.add, as_it_is, read_ds);
    if (dy.data) {
      saved.mask.factors(at, count, factors);
      map_into(count, dy.data + at, dy.add, times, read_ds, static_cast<const real*>(factors));
    }
  }
}

struct NormGradients {
  Gradient x, y, gain, bias;
};

void backward(const Saved& saved, const NormGradients& d, const real* dout) {
  const int64_t cols = saved.cols;
  const Sink dx = d.x.open_if_wanted(), dy = d.y.open_if_wanted();
  const Sink dgain = d.gain.open_if_wanted(), dbias = d.bias.open_if_wanted();
  sum_over_rows<2>(
      saved.rows, cols, {dgain, dbias}, [&](int64_t begin, int64_t end, real* partial) {
        for (int64_t r = begin; r < end; ++r) {
          const Means mean =
              row_means(saved, r, dout + r * cols, partial, dbias.data ? partial + cols : nullptr);
          row_backward(saved, r, dout, mean, dx, dy);
        }
      });
}

// All norms of this file; y and bias may be absent.
Tensor norm(const char* op, const Tensor& x, const Tensor& y, real p, const Tensor& gain,
            const Tensor& bias, bool centred, real epsilon) {
  const int64_t rows = x.rows(), cols = x.cols();
  require(!y || x.shape() == y.shape(), "{}: x is {} but y is {}", op, x.shape(), y.shape());
  require(gain.shape() == Shape{cols} && (!bias || bias.shape() == Shape{cols}),
          "{}: x is {} but gain is {}{}", op, x.shape(), gain.shape(),
          bias ? fmt::format(" and bias {}", bias.shape()) : "");
  const Tensor out(x.shape());
  const Affine affine{gain.values(), bias ? bias.values() : Tensor::zeros({cols}).values()};
  const bool recorded = recording({&x, &y, &gain, &bias});
  const std::optional<Affine> inverse = recorded ? inverse_of(affine, cols) : Affine{};
  const Saved saved{.rows = rows,
                    .cols = cols,
                    .centred = centred,
                    .mask = y ? next_dropout_mask(op, p) : DropoutMask(),
                    .normal = inverse ? out.values() : Values(rows * cols),
                    .to_h = inverse ? *inverse : identity(cols),
                    .inverse = Values(rows),
                    .gain = gain.values()};
  forward(saved, x.data(), y ? y.data() : nullptr, affine, epsilon, out.data());
  return record(
      op, out, {&x, &y, &gain, &bias},
      [saved, d = NormGradients{x.gradient(), y.gradient(), gain.gradient(), bias.gradient()}](
          Gradient& dout) { backward(saved, d, dout.data()); });
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, real epsilon) {
  return norm("layer_norm", x, {}, 0, gain, bias, true, epsilon);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, real epsilon) {
  return norm("rms_norm", x, {}, 0, gain, {}, false, epsilon);
}

Tensor residual(const Tensor& x, const Tensor& y, real p) {
  require(x.shape() == y.shape(), "residual: x is {} but y is {}", x.shape(), y.shape());
  const DropoutMask mask = next_dropout_mask("residual", p);
  const int64_t rows = x.rows(), cols = x.cols();
  Tensor out(x.shape());
  for_each_row(rows, cols, [&](int64_t r) {
    const int64_t at = r * cols;
    add_dropped(mask, at, cols, x.data() + at, y.data() + at, out.data() + at);
  });
  return record("residual", out, {&x, &y},
                [=, dx = x.gradient(), dy = y.gradient()](Gradient& dout) {
                  if (dy) mask.apply(rows * cols, dout.data(), dy.open());
                  if (dx) dx.accept(dout);
                });
}

Tensor residual_norm(const Tensor& x, const Tensor& y, real p, const Tensor& gain,
                     const Tensor& bias, real epsilon) {
  return norm("residual_norm", x, y, p, gain, bias, static_cast<bool>(bias), epsilon);
}

}  // namespace calque
