#include "decode/inspection/residual_stream.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/error.h"

namespace calque {

Segments equal_texts(int64_t count, int64_t tokens) {
  return Segments::of_lengths(
      std::vector<int32_t>(static_cast<size_t>(count), static_cast<int32_t>(tokens)));
}

Tensor head_factors(const LanguageModel& model, int64_t layer, std::span<const HeadPlace> without) {
  Tensor factors;
  const int64_t size = model.options.layer.head_size();
  for (const HeadPlace& place : without) {
    if (place.layer != layer) continue;
    require(place.head >= 0 && place.head < model.options.layer.heads,
            "head_factors: head {} of {}", place.head, model.options.layer.heads);
    if (!factors) factors = Tensor::full({model.options.layer.query_columns()}, 1);
    std::ranges::fill(factors.span().subspan(place.head * size, size), real(0));
  }
  return factors;
}

Tensor after_layer(const SelfAttentionLayer& layer, const Tensor& state, const Segments& segments,
                   const Tensor& head_factors) {
  const auto attend = [&](const Tensor& h) {
    const SelfAttention& attention = layer.self_attention;
    const Tensor heads = self_attention(attention.project(h, segments), segments,
                                        attention.attention_options(Mode::evaluate));
    return attention.output(head_factors ? heads * head_factors : heads);
  };
  const Tensor attended = layer.self_attention_residual(state, Mode::evaluate, attend);
  return layer.feed_forward_residual(attended, Mode::evaluate, [&](const Tensor& h) {
    return layer.feed_forward(h, Mode::evaluate);
  });
}

Tensor last_state(const LanguageModel& model, Tensor state, int64_t from,
                  const Segments& segments) {
  for (auto i = static_cast<size_t>(from); i < model.stack.layers.size(); ++i) {
    state = after_layer(model.stack.layers[i], state, segments);
  }
  return state;
}

std::vector<Tensor> residual_states(const LanguageModel& model, std::span<const int32_t> ids,
                                    const Edits& edits) {
  const Segments segments = equal_texts(1, std::ssize(ids));
  const auto pushed = [&](Tensor state, int64_t number) {
    for (const Push& push : edits.pushes) {
      if (push.state == number) state = state + push.vector;
    }
    return state;
  };
  std::vector<Tensor> states = {pushed(model.positions(model.embedding(ids), segments), 0)};
  int64_t number = 0;
  for (const SelfAttentionLayer& layer : model.stack.layers) {
    const Tensor factors = head_factors(model, number++, edits.without);
    states.push_back(pushed(after_layer(layer, states.back(), segments, factors), number));
  }
  return states;
}

Tensor logits_of(const LanguageModel& model, const Tensor& state) {
  return model.logits(model.stack.norm ? (*model.stack.norm)(state) : state);
}

Tensor read_out(const LanguageModel& model, const Tensor& state) {
  return log_softmax(logits_of(model, state));
}

Tensor ends_of(const Tensor& state, const Segments& segments) {
  std::vector<int32_t> rows;
  for (int64_t i = 0; i < segments.count(); ++i) rows.push_back(segments.end(i) - 1);
  return gather_rows(state, rows);
}

std::span<const real> row_of(const Tensor& log_probabilities, int64_t row) {
  const int64_t columns = log_probabilities.cols();
  return std::span<const real>(log_probabilities.span())
      .subspan(static_cast<size_t>(row * columns), static_cast<size_t>(columns));
}

std::vector<LikelyToken> most_likely(std::span<const real> log_probabilities, int64_t count) {
  std::vector<int32_t> ids(log_probabilities.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto likelier = [&](int32_t a, int32_t b) {
    const real of_a = log_probabilities[a], of_b = log_probabilities[b];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  const auto end = ids.begin() + std::min(count, std::ssize(ids));
  std::ranges::partial_sort(ids, end, likelier);
  ids.erase(end, ids.end());
  std::vector<LikelyToken> best;
  best.reserve(ids.size());
  for (const int32_t id : ids) {
    best.push_back({id, static_cast<float>(std::exp(log_probabilities[id]))});
  }
  return best;
}

std::vector<ChangedToken> changed_tokens(std::span<const real> before,
                                         std::span<const real> after) {
  constexpr int64_t shown = 5;
  std::vector<LikelyToken> likely = most_likely(after, shown);
  for (const LikelyToken& each : most_likely(before, shown)) {
    if (std::ranges::count(likely, each.token, &LikelyToken::token) == 0) likely.push_back(each);
  }
  std::vector<ChangedToken> tokens;
  tokens.reserve(likely.size());
  for (const LikelyToken& each : likely) {
    tokens.push_back({each.token, static_cast<float>(std::exp(before[each.token])),
                      static_cast<float>(std::exp(after[each.token]))});
  }
  std::ranges::stable_sort(tokens, std::greater<>(), &ChangedToken::after);
  return tokens;
}

int64_t texts_at_once(int64_t tokens) {
  constexpr int64_t tokens_at_once = 2048;  // bounds the memory of a pass
  return std::max<int64_t>(1, tokens_at_once / tokens);
}

}  // namespace calque
