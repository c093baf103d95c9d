#include "core/ops/scores.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/simd/folds.h"
#include "core/simd/math.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

constexpr int64_t scores_per_block = 4 * lanes;

// The maximum of each lane over a block.
Vec lane_maxima(const real* scores) {
  return max(max(load(scores), load(scores + lanes)),
             max(load(scores + 2 * lanes), load(scores + 3 * lanes)));
}

}  // namespace

ScoreRow::ScoreRow(std::span<const real> scores)
    : scores_(scores), maxima_((scores.size() + scores_per_block - 1) / scores_per_block) {
  const int64_t whole = std::ssize(scores) / scores_per_block;
  int64_t i = 0;
  for (; i + lanes <= whole; i += lanes) {
    store(maxima_.data() + i, maxima_of_lanes([&](int64_t j) {
            return lane_maxima(scores.data() + (i + j) * scores_per_block);
          }));
  }
  for (; i < whole; ++i) maxima_[i] = maximum(lane_maxima(scores.data() + i * scores_per_block));
  const std::span rest = scores.subspan(whole * scores_per_block);
  if (!rest.empty()) maxima_[i] = *std::ranges::max_element(rest);
}

real ScoreRow::log_sum_exp() const {
  const real m = maxima_.empty() ? minus_infinity : std::ranges::max(maxima_);
  if (m == minus_infinity) return m;
  const Vec total = sum_lanes(
      std::ssize(scores_), [=](Vec v) { return exp(v - m); }, scores_.data());
  return m + std::log(sum(total));
}

real ScoreRow::finite_log_sum() const {
  const real sum = log_sum_exp();
  if (!std::isfinite(sum)) {
    fail("the model's scores are not finite numbers: its weights are too large to be of use");
  }
  return sum;
}

// A bound that at least `count` scores reach: the count-th largest of the maxima of 1.5 * count
// groups of blocks. With so many groups, few more than `count` scores reach it.
real ScoreRow::bound(int64_t count) const {
  const auto groups = static_cast<size_t>(count + count / 2);
  if (count < 1 || groups > maxima_.size()) return minus_infinity;
  std::vector<real> maxima(maxima_.begin(), maxima_.begin() + groups);
  for (size_t i = groups; i < maxima_.size(); ++i) {
    maxima[i % groups] = std::max(maxima[i % groups], maxima_[i]);
  }
  std::ranges::partial_sort(maxima, maxima.begin() + count, std::greater<real>());
  return maxima[count - 1];
}

// If scores were lowered after construction, fewer than `count` may reach the bound; the search is
// then repeated over all scores.
std::vector<NextToken> ScoreRow::best(int64_t count, real log_sum) const {
  const real enough = bound(count);
  std::vector<NextToken> best = best_of_at_least(enough, count);
  if (std::ssize(best) < count && enough > minus_infinity)
    best = best_of_at_least(minus_infinity, count);
  for (NextToken& token : best) token.log_probability -= log_sum;
  return best;
}

std::vector<NextToken> ScoreRow::best_of_at_least(real least, int64_t count) const {
  std::vector<NextToken> best;
  const auto room = static_cast<size_t>(count);
  best.reserve(room + 1);
  real below = std::nextafter(least, minus_infinity);  // only scores above it can be among the best
  const auto insert_best = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const real score = scores_[i];
      if (!(score > below)) continue;
      const auto place =
          std::ranges::upper_bound(best, score, std::greater<real>(), &NextToken::log_probability);
      best.insert(place, {static_cast<int32_t>(i), score});
      if (best.size() > room) best.pop_back();
      if (best.size() == room) below = best.back().log_probability;
    }
  };
  const int64_t size = std::ssize(scores_);
  for (int64_t begin = 0; begin < size; begin += scores_per_block) {
    if (!(maxima_[begin / scores_per_block] > below)) continue;
    const int64_t end = std::min(begin + scores_per_block, size);
    for (int64_t i = begin; i < end; i += lanes) {
      if (i + lanes > end || maximum(load(scores_.data() + i)) > below) {
        insert_best(i, std::min(i + lanes, end));
      }
    }
  }
  return best;
}

Tensor log_of_sum(const Tensor& a, const Tensor& b) {
  Tensor sum(a.shape());
  for_rows(a.rows(), a.cols() * 4, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * a.cols();
    map((end - begin) * a.cols(), sum.data() + first,
        [](Vec u, Vec v) { return max(u, v) + log1p(exp(-abs(u - v))); }, a.data() + first,
        b.data() + first);
  });
  return sum;
}

}  // namespace calque
