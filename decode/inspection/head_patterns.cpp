#include "decode/inspection/head_patterns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/tape.h"
#include "decode/inspection/residual_stream.h"

namespace calque {
namespace {

// A repeated text of fewer tokens does not tell induction from attention to a fixed distance.
constexpr int64_t fewest_repeated = 4;

AttentionRecord attention_of(const LanguageModel& model, std::span<const int32_t> ids) {
  AttentionRecord record;
  model.hidden(ids, equal_texts(1, std::ssize(ids)), Mode::evaluate, &record);
  return record;
}

// The mean weight from query t to key key_of(t), over the queries from `first` on.
template <class KeyOf>
double mean_weight(const Tensor& weights, int64_t head, int64_t first, KeyOf key_of) {
  const int64_t tokens = weights.shape()[1];
  if (first >= tokens) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (int64_t t = first; t < tokens; ++t) {
    sum += weights.data()[(head * tokens + t) * tokens + key_of(t)];
  }
  return sum / static_cast<double>(tokens - first);
}

}  // namespace

std::vector<HeadPattern> head_patterns(const LanguageModel& model, std::span<const int32_t> ids,
                                       int64_t longest) {
  const NoGradient nothing_recorded;
  const AttentionRecord record = attention_of(model, ids);
  const int64_t repeated = std::min(std::ssize(ids) - 1, (longest - 1) / 2);
  AttentionRecord twice;
  if (repeated >= fewest_repeated) {
    std::vector<int32_t> text(ids.begin(), ids.begin() + 1 + repeated);
    text.insert(text.end(), ids.begin() + 1, ids.begin() + 1 + repeated);
    twice = attention_of(model, text);
  }
  std::vector<HeadPattern> patterns;
  for (size_t layer = 0; layer < record.entries.size(); ++layer) {
    const Tensor& weights = record.entries[layer].sentences.front();
    for (int64_t head = 0; head < weights.shape()[0]; ++head) {
      HeadPattern pattern{static_cast<int>(layer), static_cast<int>(head)};
      // From the third token on, since the previous token of the second is the first one.
      pattern.previous = mean_weight(weights, head, 2, [](int64_t t) { return t - 1; });
      pattern.first = mean_weight(weights, head, 2, [](int64_t) { return int64_t{0}; });
      pattern.own = mean_weight(weights, head, 2, [](int64_t t) { return t; });
      pattern.induction =
          twice.entries.empty()
              ? std::numeric_limits<double>::quiet_NaN()
              : mean_weight(twice.entries[layer].sentences.front(), head, 1 + repeated,
                            [&](int64_t t) { return t - repeated + 1; });
      patterns.push_back(pattern);
    }
  }
  return patterns;
}

std::string_view pattern_name(const HeadPattern& pattern) {
  constexpr double least = 0.4;
  std::pair<double, std::string_view> best = {least, ""};
  for (const auto& [score, name] :
       {std::pair(pattern.previous, "previous token"), std::pair(pattern.first, "first token"),
        std::pair(pattern.own, "own token"), std::pair(pattern.induction, "induction")}) {
    if (score >= best.first) best = {score, name};
  }
  return best.second;
}

}  // namespace calque
