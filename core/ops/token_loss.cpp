#include "core/ops/token_loss.h"

#include <algorithm>
#include <cmath>

#include "core/ops/exponentials.h"
#include "core/parallel.h"

namespace calque {
namespace {

// The maximum of a row and the sum of its numbers, in one pass.
struct Extent {
  real maximum;
  double total;
};

Extent extent_of(const real* x, int64_t size) {
  Vec most = broadcast(minus_infinity), total{};
  int64_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const Vec v = load(x + i);
    most = max(most, v);
    total += v;
  }
  Extent extent{maximum(most), sum(total)};
  for (; i < size; ++i) {
    extent.maximum = std::max(extent.maximum, x[i]);
    extent.total += x[i];
  }
  return extent;
}

RowLoss row_loss(real* logits, int64_t vocabulary, int32_t expected, real smoothing,
                 bool gradient) {
  const Extent extent = extent_of(logits, vocabulary);
  const real m = extent.maximum, right = logits[expected];
  RowLoss row;
  row.correct = right == m && std::find(logits, logits + expected, m) == logits + expected;
  const real total = exponentials(logits, vocabulary, m, logits);
  const double normaliser = double(m) + std::log(double(total));  // log of the sum of exp
  const auto size = static_cast<double>(vocabulary);
  row.nll = normaliser - double(right);
  row.loss = (1 - double(smoothing)) * row.nll;
  // Left out without smoothing, so that a logit of -infinity then is a token that cannot come.
  if (smoothing > 0) row.loss += double(smoothing) * (normaliser - extent.total / size);
  if (gradient) {
    const real share = 1 / total, everywhere = smoothing / static_cast<real>(vocabulary);
    map(
        vocabulary, logits, [=](Vec e) { return e * share - everywhere; }, logits);
    logits[expected] -= 1 - smoothing;
  }
  return row;
}

}  // namespace

void row_losses(const LogitRows& logits, std::span<const int32_t> expected, real smoothing,
                bool gradient, RowLoss* losses) {
  const auto rows = static_cast<int64_t>(expected.size());
  for_rows(rows, logits.vocabulary * 4, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      losses[r] = row_loss(logits.data + r * logits.stride, logits.vocabulary,
                           expected[static_cast<size_t>(r)], smoothing, gradient);
    }
  });
}

TokenLoss sum_of(const std::vector<RowLoss>& rows) {
  TokenLoss result;
  double loss = 0;
  for (const RowLoss& row : rows) {
    loss += row.loss;
    result.nll += row.nll;
    result.correct += row.correct ? 1 : 0;
  }
  result.loss = Tensor::full({}, static_cast<real>(loss));
  result.tokens = static_cast<int64_t>(rows.size());
  return result;
}

void check_expected(const char* op, const Shape& rows, int64_t vocabulary,
                    std::span<const int32_t> expected, real smoothing) {
  require(rows.rows() == static_cast<int64_t>(expected.size()), "{}: {} for {} expected tokens", op,
          rows, expected.size());
  require(smoothing >= 0 && smoothing < 1, "{}: a label smoothing of {}", op, smoothing);
  for (const int32_t id : expected) {
    require(id >= 0 && id < vocabulary, "{}: id {} is not in a vocabulary of {}", op, id,
            vocabulary);
  }
}

}  // namespace calque
