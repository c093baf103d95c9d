// The loss of word2vec. With z = s for the expected row and z = -s for a negative, each candidate
// has the loss -log sigmoid(z) = softplus(-z) and the derivative sigmoid(z) - 1 with respect to z.
// The closure keeps the derivatives with respect to s, one number per candidate.

#include <memory>

#include "core/ops.h"
#include "core/ops/row_groups.h"
#include "core/profile.h"
#include "core/simd/math.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

struct Sums {
  double loss = 0, nll = 0;
  int64_t correct = 0;
};

Sums operator+(const Sums& a, const Sums& b) {
  return {a.loss + b.loss, a.nll + b.nll, a.correct + b.correct};
}

Vec minus_log_sigmoid(Vec z) { return softplus(-z); }
Vec slope(Vec z) { return sigmoid(z) - real(1); }

// Returns the losses of one row from its products s, which it replaces by the derivatives.
Sums row_loss(std::span<real> s, std::span<real> losses) {
  const auto count = static_cast<int64_t>(s.size());
  Sums sums{.correct = 1};
  for (size_t k = 1; k < s.size(); ++k) {
    if (!(s[0] > s[k])) sums.correct = 0;
    s[k] = -s[k];
  }
  map(count, losses.data(), minus_log_sigmoid, s.data());
  map(count, s.data(), slope, s.data());
  for (size_t k = 1; k < s.size(); ++k) s[k] = -s[k];
  sums.nll = double(losses[0]);
  for (const real loss : losses) sums.loss += double(loss);
  return sums;
}

void check_candidates(const Tensor& x, const Tensor& w, std::span<const int32_t> candidates) {
  require(x.shape().axes() == 2 && w.shape().axes() == 2 && x.cols() == w.cols(),
          "negative_sampling: x is {} but w is {}", x.shape(), w.shape());
  const auto count = static_cast<int64_t>(candidates.size());
  require(x.rows() == 0 ? count == 0 : count >= x.rows() && count % x.rows() == 0,
          "negative_sampling: {} candidates for {} rows", count, x.rows());
  for (const int32_t id : candidates) {
    require(id >= 0 && id < w.rows(), "negative_sampling: candidate {} is not in a table of {}", id,
            w.shape());
  }
}

}  // namespace

TokenLoss negative_sampling(const Tensor& x, const Tensor& w, std::span<const int32_t> candidates) {
  check_candidates(x, w, candidates);
  const int64_t rows = x.rows(), cols = x.cols(), vocabulary = w.rows();
  const auto all = static_cast<int64_t>(candidates.size());
  const int64_t each = rows > 0 ? all / rows : 1;
  const double flops = 2 * double(all) * double(cols);
  count_work({.flops = flops});
  const auto slopes = std::make_shared<Buffer<real>>(all);
  const auto part = [&](int64_t begin, int64_t end) {
    Sums sums;
    std::vector<real> losses(static_cast<size_t>(each));
    for (int64_t r = begin; r < end; ++r) {
      real* const s = slopes->data() + r * each;
      for (int64_t k = 0; k < each; ++k) {
        s[k] = dot(cols, x.data() + r * cols, w.data() + candidates[r * each + k] * cols);
      }
      sums = sums + row_loss({s, losses.size()}, losses);
    }
    return sums;
  };
  const Sums sums = parallel_reduce(rows, rows_per_chunk(each * cols), Sums{}, part,
                                    [](const Sums& a, const Sums& b) { return a + b; });
  const Tensor y = Tensor::full({}, static_cast<real>(sums.loss));
  const auto gradients = [=, ids = std::vector<int32_t>(candidates.begin(), candidates.end()),
                          x = x.values(), w = w.values(), dx = x.gradient(),
                          dw = w.gradient()](Gradient& dy) {
    const real factor = *dy.data();
    const auto add = [&](int64_t candidate, const real* from, real* to, bool added) {
      const Vec by = broadcast(factor * (*slopes)[candidate]);
      map_into(
          cols, to, added, [by](Vec v) { return v * by; }, from);
    };
    if (dx) {
      count_work({.flops = flops});
      const Sink out = dx.open();
      for_rows(rows, each * cols, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin * each; c < end * each; ++c) {
          const bool first = c % each == 0;
          add(c, w.data() + ids[c] * cols, out.data + c / each * cols, out.add || !first);
        }
      });
    }
    if (dw) {
      count_work({.flops = flops});
      const RowGroups groups = group_by_id(ids, vocabulary);
      real* out = dw.open_cleared();
      for_rows(std::ssize(groups.starts) - 1, cols * 2, [&](int64_t begin, int64_t end) {
        for (int64_t i = groups.starts[begin]; i < groups.starts[end]; ++i) {
          const int32_t c = groups.tokens[i];
          add(c, x.data() + c / each * cols, out + ids[c] * cols, true);
        }
      });
    }
  };
  TokenLoss result;
  result.loss = record("negative_sampling", y, {&x, &w}, gradients);
  result.nll = sums.nll;
  result.correct = sums.correct;
  result.tokens = rows;
  return result;
}

}  // namespace calque
