#include "decode/next_tokens.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/ops.h"
#include "core/parallel.h"
#include "core/simd_folds.h"
#include "core/simd_math.h"

namespace calque {
namespace {

constexpr int64_t stretch = 4 * lanes;

// The greatest in each lane, over a stretch.
Vec greatest_of_stretch(const real* scores) {
  return max(max(load(scores), load(scores + lanes)),
             max(load(scores + 2 * lanes), load(scores + 3 * lanes)));
}

}  // namespace

ScoreRow::ScoreRow(std::span<const real> scores)
    : scores_(scores), greatest_((scores.size() + stretch - 1) / stretch) {
  const int64_t whole = std::ssize(scores) / stretch;
  int64_t i = 0;
  for (; i + lanes <= whole; i += lanes) {
    store(greatest_.data() + i, maxima_of_lanes([&](int64_t j) {
            return greatest_of_stretch(scores.data() + (i + j) * stretch);
          }));
  }
  for (; i < whole; ++i) greatest_[i] = maximum(greatest_of_stretch(scores.data() + i * stretch));
  const std::span rest = scores.subspan(static_cast<size_t>(whole * stretch));
  if (!rest.empty()) greatest_[i] = *std::ranges::max_element(rest);
}

real ScoreRow::log_sum_exp() const {
  const real m = greatest_.empty() ? minus_infinity : std::ranges::max(greatest_);
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

// A bound which at least `count` scores reach: the greatest of as many groups of stretches do. With
// half as many groups again, hardly more reach it than are asked for.
real ScoreRow::bound(int64_t count) const {
  const auto groups = static_cast<size_t>(count + count / 2);
  if (count < 1 || groups > greatest_.size()) return minus_infinity;
  std::vector<real> greatest(greatest_.begin(), greatest_.begin() + static_cast<int64_t>(groups));
  for (size_t i = groups, group = 0; i < greatest_.size(); ++i) {
    greatest[group] = std::max(greatest[group], greatest_[i]);
    if (++group == groups) group = 0;
  }
  std::ranges::partial_sort(greatest, greatest.begin() + count, std::greater<real>());
  return greatest[static_cast<size_t>(count - 1)];
}

// Scores may have been lowered since the greatest were found: then fewer than that reach the bound,
// and all have to be looked at.
std::vector<NextToken> ScoreRow::best(int64_t count, real log_sum) const {
  const real enough = bound(count);
  std::vector<NextToken> best = best_from(enough, count);
  if (std::ssize(best) < count && enough > minus_infinity) best = best_from(minus_infinity, count);
  for (NextToken& token : best) token.log_probability -= log_sum;
  return best;
}

std::vector<NextToken> ScoreRow::best_from(real least, int64_t count) const {
  std::vector<NextToken> best;
  const auto room = static_cast<size_t>(count);
  best.reserve(room + 1);
  real below = std::nextafter(least, minus_infinity);  // all above it are wanted
  const auto look_at = [&](int64_t begin, int64_t end) {
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
  for (int64_t begin = 0; begin < size; begin += stretch) {
    if (!(greatest_[static_cast<size_t>(begin / stretch)] > below)) continue;
    const int64_t end = std::min(begin + stretch, size);
    for (int64_t i = begin; i < end; i += lanes) {
      if (i + lanes > end || maximum(load(scores_.data() + i)) > below) {
        look_at(i, std::min(i + lanes, end));
      }
    }
  }
  return best;
}

namespace {

// log(exp(a) + exp(b)), of which neither may be 0.
Tensor log_of_sum(const Tensor& a, const Tensor& b) {
  Tensor sum(a.shape());
  for_rows(a.rows(), a.cols() * 4, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * a.cols();
    map((end - begin) * a.cols(), sum.data() + first,
        [](Vec u, Vec v) { return max(u, v) + log(1 + exp(min(u, v) - max(u, v))); },
        a.data() + first, b.data() + first);
  });
  return sum;
}

}  // namespace

Tensor mean_of_probabilities(const std::vector<Tensor>& scores) {
  if (scores.size() == 1) return scores.front();
  Tensor total = log_softmax(scores.front());
  for (size_t i = 1; i < scores.size(); ++i) total = log_of_sum(total, log_softmax(scores[i]));
  return total - std::log(static_cast<real>(scores.size()));
}

}  // namespace calque
