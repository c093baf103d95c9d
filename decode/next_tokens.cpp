#include "decode/next_tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops.h"
#include "core/simd_math.h"

namespace calque {
namespace {

constexpr real lowest = -std::numeric_limits<real>::infinity();

}  // namespace

real log_sum_exp(std::span<const real> scores) {
  const auto size = static_cast<int64_t>(scores.size());
  const int64_t whole = size / lanes * lanes;
  Vec most = broadcast(lowest);
  for (int64_t i = 0; i < whole; i += lanes) most = max(most, load(scores.data() + i));
  real m = maximum(most);
  for (int64_t i = whole; i < size; ++i) m = std::max(m, scores[i]);
  if (m == lowest) return m;
  real total = sum(sum_lanes(
      whole, [=](Vec v) { return exp(v - m); }, scores.data()));
  for (int64_t i = whole; i < size; ++i) total += std::exp(scores[i] - m);
  return m + std::log(total);
}

std::vector<NextToken> best_tokens(std::span<const real> scores, real log_sum, int64_t count) {
  constexpr int64_t stretch = 4 * lanes;
  std::vector<NextToken> best;
  const auto room = static_cast<size_t>(count);
  best.reserve(room + 1);
  const auto offer = [&](int64_t id) {
    const real score = scores[id];
    if (score == lowest || (best.size() == room && score <= best.back().log_probability)) return;
    const auto place =
        std::ranges::upper_bound(best, score, std::greater<real>(), &NextToken::log_probability);
    best.insert(place, {static_cast<int32_t>(id), score});
    if (best.size() > room) best.pop_back();
  };
  const auto size = static_cast<int64_t>(scores.size());
  int64_t i = 0;
  for (; i + stretch <= size; i += stretch) {
    const real* at = scores.data() + i;
    const Vec most =
        max(max(load(at), load(at + lanes)), max(load(at + 2 * lanes), load(at + 3 * lanes)));
    if (best.size() == room && maximum(most) <= best.back().log_probability) continue;
    for (int64_t id = i; id < i + stretch; ++id) offer(id);
  }
  for (; i < size; ++i) offer(i);
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
