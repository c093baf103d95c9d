// A linear layer with a low-rank correction of rank r. Beside the product x w, it takes two thin
// products: h = dropout(x) a has r numbers for each token and part, and h b is added to the columns
// of the part. The backward pass computes nothing for w. Dropout is recomputed, not stored.

#include "core/ops.h"
#include "core/ops/dropout_mask.h"
#include "core/products/blas.h"

namespace calque {
namespace {

Tensor activated(const Tensor& z, Activation activation) {
  switch (activation) {
    case Activation::none:
      return z;
    case Activation::relu:
      return relu(z);
    case Activation::gelu:
      return gelu(z);
    case Activation::gelu_tanh:
      return gelu_tanh(z);
    case Activation::silu:
      return silu(z);
    case Activation::swiglu:
      return swiglu(z);
    case Activation::geglu:
      return geglu(z);
    case Activation::geglu_tanh:
      return geglu_tanh(z);
  }
  return z;
}

// The sizes of the op, and the parts of its columns.
struct Sizes {
  int64_t rows, in, out, rank, inner;  // inner: the columns of a, which are parts times rank
  std::vector<int64_t> begin;          // the first column of each part, and `out`

  Matrix of_part(const real* h, size_t part) const {
    return {h + static_cast<int64_t>(part) * rank, rows, rank, inner};
  }
  Matrix of_columns(const real* y, size_t part) const {
    return {y + begin[part], rows, begin[part + 1] - begin[part], out};
  }
};

Sizes sizes_of(const Tensor& x, const Tensor& w, const Tensor& a, std::span<const Tensor> b) {
  const auto parts = std::ssize(b);
  require(parts > 0 && a.shape().axes() == 2 && a.cols() % parts == 0,
          "adapted_linear: a is {} for {} parts", a.shape(), parts);
  Sizes sizes{x.rows(), x.cols(), w.cols(), a.cols() / parts, a.cols(), {0}};
  for (const Tensor& part : b) {
    require(part.shape().axes() == 2 && part.rows() == sizes.rank,
            "adapted_linear: b is {}, but the rank is {}", part.shape(), sizes.rank);
    sizes.begin.push_back(sizes.begin.back() + part.cols());
  }
  require(w.shape().axes() == 2 && x.cols() == w.rows() && a.rows() == w.rows() &&
              sizes.begin.back() == w.cols(),
          "adapted_linear: x is {}, w {}, a {}, and b has {} columns", x.shape(), w.shape(),
          a.shape(), sizes.begin.back());
  return sizes;
}

Values dropped(const DropoutMask& mask, const Values& x) {
  if (!mask.active()) return x;
  Values y(x.size());
  mask.apply(x.size(), x.data(), {y.data(), false});
  return y;
}

// Contributes to the gradients of b, and returns that of h.
Values through_parts(const Sizes& n, const real* dy, const Values& h, std::span<const Values> b,
                     std::span<const Gradient> db, real scale) {
  Values dh(n.rows * n.inner);
  for (size_t i = 0; i < b.size(); ++i) {
    const Matrix dz = n.of_columns(dy, i);
    gemm(dz, transposed({b[i], n.rank, dz.cols}),
         {dh.data() + static_cast<int64_t>(i) * n.rank, false}, scale, n.inner);
    if (db[i]) gemm(transposed(n.of_part(h.data(), i)), dz, db[i].open(), scale);
  }
  return dh;
}

Tensor recorded(const Sizes& n, const Tensor& y, const Tensor& x, const Tensor& w, const Tensor& a,
                std::span<const Tensor> b, const Values& h, const DropoutMask& mask, real scale) {
  std::vector<const Tensor*> inputs = {&x, &a};
  std::vector<Values> values;
  std::vector<Gradient> gradients;
  for (const Tensor& part : b) {
    inputs.push_back(&part);
    values.push_back(part.values());
    gradients.push_back(part.gradient());
  }
  if (!recording(inputs)) return y;
  return attach("adapted_linear", y, x.size() + w.size() + a.size() + y.size(),
                [=, x = x.values(), w = w.values(), a = a.values(), dx = x.gradient(),
                 da = a.gradient()](Gradient& dy) {
                  const Values dh = through_parts(n, dy.data(), h, values, gradients, scale);
                  const Matrix to_h(dh, n.rows, n.inner), back = transposed({a, n.in, n.inner});
                  if (da) gemm(transposed({dropped(mask, x), n.rows, n.in}), to_h, da.open());
                  if (!dx) return;
                  const Sink to = dx.open();
                  gemm({dy.data(), n.rows, n.out}, transposed({w, n.in, n.out}), to);
                  if (!mask.active()) return gemm(to_h, back, Sink{to.data, true});
                  const Values through(n.rows * n.in);
                  gemm(to_h, back, through.data());
                  mask.apply(n.rows * n.in, through.data(), {to.data, true});
                });
}

}  // namespace

Tensor adapted_linear(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& a,
                      std::span<const Tensor> b, real scale, real p, Activation activation) {
  const Sizes n = sizes_of(x, w, a, b);
  require(!bias || bias.shape() == Shape{n.out}, "adapted_linear: w is {} but the bias {}",
          w.shape(), bias.shape());
  require(!w.gradient() && !bias.gradient(), "adapted_linear: w or bias requires a gradient");
  const DropoutMask mask = next_dropout_mask("adapted_linear", p);
  const Values h(n.rows * n.inner);
  gemm({dropped(mask, x.values()), n.rows, n.in}, {a.values(), n.in, n.inner}, h.data());
  Tensor y(x.shape().with_cols(n.out));
  gemm({x.data(), n.rows, n.in}, {w.values(), n.in, n.out}, {y.data(), false}, 1, n.out,
       {bias ? bias.data() : nullptr});
  for (size_t i = 0; i < b.size(); ++i) {
    gemm(n.of_part(h.data(), i), {b[i].values(), n.rank, b[i].cols()},
         {y.data() + n.begin[i], true}, scale, n.out);
  }
  return activated(recorded(n, y, x, w, a, b, h, mask, scale), activation);
}

}  // namespace calque
