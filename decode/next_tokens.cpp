#include "decode/next_tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops.h"
#include "core/simd_math.h"

namespace calque {
namespace {

constexpr real lowest = -std::numeric_limits<real>::infinity();

constexpr int64_t stretch = 4 * lanes;

real greatest_of(const real* scores, int64_t count) {
  if (count < stretch) return *std::max_element(scores, scores + count);
  return maximum(max(max(load(scores), load(scores + lanes)),
                     max(load(scores + 2 * lanes), load(scores + 3 * lanes))));
}

}  // namespace

ScoreRow::ScoreRow(std::span<const real> scores) : scores_(scores) {
  const int64_t size = std::ssize(scores);
  greatest_.reserve(static_cast<size_t>(size / stretch + 1));
  for (int64_t i = 0; i < size; i += stretch) {
    greatest_.push_back(greatest_of(scores.data() + i, std::min(stretch, size - i)));
  }
}

real ScoreRow::log_sum_exp() const {
  const real m = greatest_.empty() ? lowest : std::ranges::max(greatest_);
  if (m == lowest) return m;
  const int64_t size = std::ssize(scores_), whole = size / lanes * lanes;
  real total = sum(sum_lanes(
      whole, [=](Vec v) { return exp(v - m); }, scores_.data()));
  for (int64_t i = whole; i < size; ++i) total += std::exp(scores_[i] - m);
  return m + std::log(total);
}

std::vector<NextToken> ScoreRow::best(int64_t count, real log_sum) const {
  std::vector<NextToken> best;
  const auto room = static_cast<size_t>(count);
  best.reserve(room + 1);
  const auto falls_short = [&](real score) {
    return score == lowest || (best.size() == room && score <= best.back().log_probability);
  };
  const int64_t size = std::ssize(scores_);
  for (int64_t i = 0; i < size; ++i) {
    if (i % stretch == 0 && falls_short(greatest_[static_cast<size_t>(i / stretch)])) {
      i += stretch - 1;
      continue;
    }
    const real score = scores_[i];
    if (falls_short(score)) continue;
    const auto place =
        std::ranges::upper_bound(best, score, std::greater<real>(), &NextToken::log_probability);
    best.insert(place, {static_cast<int32_t>(i), score});
    if (best.size() > room) best.pop_back();
  }
  for (NextToken& token : best) token.log_probability -= log_sum;
  return best;
}

std::optional<NextToken> sample_token(std::span<const real> scores, real log_sum,
                                      const Sampling& sampling, double chance) {
  std::vector<NextToken> pool;
  for (size_t id = 0; id < scores.size(); ++id) {
    if (scores[id] > lowest) pool.push_back({static_cast<int32_t>(id), scores[id] - log_sum});
  }
  if (pool.empty()) return std::nullopt;
  std::ranges::stable_sort(pool, std::greater<real>(), &NextToken::log_probability);
  if (sampling.temperature == 0) return pool.front();
  if (sampling.top_k > 0 && sampling.top_k < std::ssize(pool)) {
    pool.resize(static_cast<size_t>(sampling.top_k));
  }
  std::vector<double> upto;  // running sum of the weights
  for (const NextToken& token : pool) {
    const double distance = double(token.log_probability) - double(pool[0].log_probability);
    upto.push_back(std::exp(distance / sampling.temperature) + (upto.empty() ? 0 : upto.back()));
  }
  const auto first_past = [&](double share) {  // of the tokens whose sum reaches the share
    return std::min(std::ranges::upper_bound(upto, share * upto.back()), upto.end() - 1);
  };
  if (sampling.top_p < 1) upto.erase(first_past(sampling.top_p) + 1, upto.end());
  return pool[static_cast<size_t>(first_past(chance) - upto.begin())];
}

Tensor mean_of_probabilities(const std::vector<Tensor>& scores) {
  if (scores.size() == 1) return scores.front();
  Tensor total = softmax(scores.front());
  for (size_t i = 1; i < scores.size(); ++i) total = total + softmax(scores[i]);
  return log(total * (real(1) / static_cast<real>(scores.size())));
}

}  // namespace calque
