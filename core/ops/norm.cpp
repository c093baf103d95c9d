// Layer norm (Ba et al. 2016) and RMS norm (Zhang and Sennrich 2019), alone or after a residual
// connection with dropout, in one pass over the rows each way.
//
//   s = x + dropout(y),  h = (s - mean(s)) / deviation(s),  out = gain h + bias
//
// With u = gain dout: ds = (u - mean(u) - h mean(u h)) / deviation. RMS norm is the same with the
// two means of the centring left out. Kept for the way back: one number a row, and the result,
// which the op that follows keeps anyway, since h = (out - bias) / gain; or h, if a gain is tiny.

#include <optional>

#include "core/ops.h"
#include "core/ops/dropped_rows.h"
#include "core/ops/row_sums.h"
#include "core/parallel.h"
#include "core/simd_stream.h"

namespace calque {
namespace {

// Results go past the caches (core/simd_stream.h) where they are large and each row is whole
// vectors of at most this many numbers, so that a row itself stays in the caches until it is done
// with.
constexpr int64_t widest_past = 4096;

// As map_into; past the caches if `past` and nothing is added.
template <class Function, class... Input>
void map_to(int64_t count, Sink to, bool past, Function function, const Input*... in) {
  if (past && !to.add) {
    map_past_caches(count, to.data, function, in...);
  } else {
    map_into(count, to.data, to.add, function, in...);
  }
}

// dy (+)= factor ds over at most a chunk.
void drop_gradient(const DropoutMask& mask, int64_t first, int64_t count, const real* ds, Sink dy,
                   bool past) {
  alignas(64) real factors[dropped_chunk];
  mask.factors(first, count, factors);
  map_to(
      count, dy, past, [](Vec v, Vec f) { return v * f; }, ds, static_cast<const real*>(factors));
}

struct Affine {
  Values factor, offset;  // of each column: factor v + offset
};

Affine identity(int64_t cols) {
  return {Tensor::full({cols}, 1).values(), Tensor::zeros({cols}).values()};
}

// What makes h of the result, 1 / gain and -bias / gain; nothing if a bias is so much larger than
// its gain (in trained models below 5 times) that h would lose more than one of seven decimals.
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

// What the backward pass needs to know of the forward pass.
struct Saved {
  int64_t rows, cols;
  bool centred;  // layer norm; otherwise RMS norm
  bool past;     // the results are written past the caches
  DropoutMask mask;
  Values normal;   // the result, or h in a place of its own [rows, cols]
  Affine undoing;  // what makes h of `normal`
  Values inverse;  // 1 / deviation [rows]
  Values gain;
};

// What makes h of a row s: h = (s - mean) inverse.
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

// The result of s, which may be in its place; otherwise s becomes h. Meanwhile the place of the
// next row of s is on its way.
void finish_row(int64_t cols, const Scale& scale, const Affine& affine, real* s, real* out) {
  const bool keep = s != out;
  if (keep) map(cols, s, scale, s);
  const Scale left = keep ? Scale{0, 1} : scale;
  const auto result = [=](Vec v, Vec g, Vec b) { return left(v) * g + b; };
  map(cols, out, meanwhile_fetching<For::writing>(s + cols, result), s, affine.factor.data(),
      affine.offset.data());
}

// The same for a row of whole vectors and s in a place of its own, which stays in the caches; h and
// out go past them. Null for h: it is not saved.
void finish_row_past_caches(int64_t cols, const Scale& scale, const Affine& affine, const real* s,
                            real* h, real* out) {
  const real *gain = affine.factor.data(), *bias = affine.offset.data();
  for (int64_t c = 0; c < cols; c += lanes) {
    const Vec v = scale(load(s + c));
    if (h) store_past_caches(h + c, v);
    store_past_caches(out + c, v * load(gain + c) + load(bias + c));
  }
}

void forward(const Saved& saved, const real* x, const real* y, const Affine& affine, real epsilon,
             real* out) {
  const int64_t cols = saved.cols;
  for_rows(saved.rows, cols * 2, [&](int64_t begin, int64_t end) {
    alignas(64) real own[widest_past];
    for (int64_t r = begin; r < end; ++r) {
      const int64_t at = r * cols;
      real* h = saved.normal.data() + at;
      real* s = saved.past ? own : h;
      real total = 0;
      if (y) {
        total = add_dropped(saved.mask, at, cols, x + at, y + at, s);
      } else {
        map(cols, s, meanwhile_fetching<For::reading>(x + at + cols, as_it_is), x + at);
        if (saved.centred) total = sum(sum_lanes(cols, as_it_is, x + at));
      }
      const Scale scale = scale_of(s, cols, total, saved.centred, epsilon);
      saved.inverse.data()[r] = scale.inverse;
      if (saved.past) {
        finish_row_past_caches(cols, scale, affine, s, h == out + at ? nullptr : h, out + at);
      } else {
        finish_row(cols, scale, affine, s, out + at);
      }
    }
    if (saved.past) finish_past_caches();
  });
}

// The two means that a row's backward pass needs, of u and u h with u = gain dout; adds dout h to
// dgain and dout to dbias on the way.
struct Means {
  real u, uh;
};
Means row_means(const Saved& saved, int64_t r, const real* dout, real* dgain, real* dbias) {
  const int64_t cols = saved.cols;
  const real share = real(1) / static_cast<real>(cols);
  Vec sum_u{}, sum_uh{};
  map(
      cols, dgain,
      [&](Vec before, Vec d, Vec v, Vec f, Vec o, Vec g) {
        const Vec u = d * g, h = v * f + o;
        sum_u += u;
        sum_uh += u * h;
        return before + d * h;
      },
      dgain, dout, saved.normal.data() + r * cols, saved.undoing.factor.data(),
      saved.undoing.offset.data(), saved.gain.data());
  if (dbias) map_into(cols, dbias, true, as_it_is, dout);
  return {saved.centred ? sum(sum_u) * share : 0, sum(sum_uh) * share};
}

// ds = (u - mean(u) - h mean(u h)) / deviation for one row; dx (+)= ds, dy (+)= factor ds.
void row_backward(const Saved& saved, int64_t r, const real* dout, const Means& mean, Sink dx,
                  Sink dy) {
  const int64_t first = r * saved.cols;
  const real inverse = saved.inverse.data()[r];
  alignas(64) real ds[dropped_chunk];
  for (int64_t c = 0; c < saved.cols; c += dropped_chunk) {
    const int64_t count = std::min(dropped_chunk, saved.cols - c), at = first + c;
    const real* normal = saved.normal.data() + at;
    const auto gradient = [=](Vec d, Vec v, Vec f, Vec o, Vec g) {
      return (d * g - mean.u - (v * f + o) * mean.uh) * inverse;
    };
    map(count, ds,
        meanwhile_fetching<For::reading>(normal + saved.cols, dout + at + saved.cols, gradient),
        dout + at, normal, saved.undoing.factor.data() + c, saved.undoing.offset.data() + c,
        saved.gain.data() + c);
    if (dx.data)
      map_to(count, {dx.data + at, dx.add}, saved.past, as_it_is, static_cast<const real*>(ds));
    if (dy.data) drop_gradient(saved.mask, at, count, ds, {dy.data + at, dy.add}, saved.past);
  }
}

struct Gradients {
  Gradient x, y, gain, bias;
};

void backward(const Saved& saved, const Gradients& d, const real* dout) {
  const int64_t cols = saved.cols;
  const Sink dx = d.x ? d.x.open() : Sink{}, dy = d.y ? d.y.open() : Sink{};
  const Sink dgain = d.gain ? d.gain.open() : Sink{}, dbias = d.bias ? d.bias.open() : Sink{};
  sum_over_rows<2>(
      saved.rows, cols, {dgain, dbias}, [&](int64_t begin, int64_t end, real* partial) {
        for (int64_t r = begin; r < end; ++r) {
          const Means mean =
              row_means(saved, r, dout + r * cols, partial, dbias.data ? partial + cols : nullptr);
          row_backward(saved, r, dout, mean, dx, dy);
        }
        if (saved.past) finish_past_caches();
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
  const Affine affine{gain.values(), bias ? bias.values() : Tensor::zeros({cols}).values()};
  const bool backward_follows = recording({&x, &y, &gain, &bias});
  const std::optional<Affine> inverse = backward_follows ? inverse_of(affine, cols) : Affine{};
  const Saved saved{rows,
                    cols,
                    centred,
                    past_caches(rows * cols) && cols % lanes == 0 && cols <= widest_past,
                    y ? next_dropout_mask(op, p) : DropoutMask(),
                    inverse ? out.values() : Values(rows * cols),
                    inverse ? *inverse : identity(cols),
                    Values(rows),
                    gain.values()};
  forward(saved, x.data(), y ? y.data() : nullptr, affine, epsilon, out.data());
  return record(
      op, out, {&x, &y, &gain, &bias},
      [saved, d = Gradients{x.gradient(), y.gradient(), gain.gradient(), bias.gradient()}](
          Gradient& dout) { backward(saved, d, dout.data()); });
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

}  // namespace calque
