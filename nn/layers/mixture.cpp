#include "nn/layers/mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nn/layers/expert_load.h"

namespace calque {
namespace {

std::variant<FeedForward, Mixture> token_network(const Path& at, const LayerOptions& options) {
  if (options.experts.count == 0) return FeedForward(at, options);
  return Mixture(at, options);
}

// The maximum number of tokens of an expert: an equal share, times the capacity.
int64_t most_tokens(const ExpertOptions& options, int64_t tokens, Mode mode) {
  if (mode == Mode::evaluate || options.capacity == 0) return tokens;
  const double share = double(tokens * options.active) / double(options.count);
  return std::max<int64_t>(1, static_cast<int64_t>(double(options.capacity) * share));
}

}  // namespace

Routing route(const Tensor& logits, int64_t active, int64_t most) {
  const int64_t tokens = logits.rows(), count = logits.cols();
  Routing routing{.tokens = std::vector<std::vector<int32_t>>(count),
                  .counts = std::vector<int64_t>(count)};
  std::vector<int32_t> places;  // among the tokens of the expert, or -1 if it is full
  std::vector<bool> taken(count);
  for (int64_t t = 0; t < tokens; ++t) {
    const real* scores = logits.data() + t * count;
    std::fill(taken.begin(), taken.end(), false);
    for (int64_t j = 0; j < active; ++j) {
      int64_t best = -1;
      for (int64_t e = 0; e < count; ++e) {
        if (!taken[e] && (best < 0 || scores[e] > scores[best])) best = e;
      }
      taken[best] = true;
      auto& members = routing.tokens[best];
      const bool fits = std::ssize(members) < most;
      places.push_back(fits ? static_cast<int32_t>(members.size()) : -1);
      if (fits) members.push_back(static_cast<int32_t>(t));
      routing.experts.push_back(static_cast<int32_t>(best));
      ++routing.counts[best];
    }
  }
  std::vector<int32_t> first(count);
  for (int64_t e = 1; e < count; ++e) {
    first[e] = first[e - 1] + static_cast<int32_t>(routing.tokens[e - 1].size());
  }
  for (size_t i = 0; i < places.size(); ++i) {
    routing.rows.push_back(places[i] < 0 ? -1 : first[routing.experts[i]] + places[i]);
  }
  return routing;
}

Tensor router_loss(const Tensor& logits, const Routing& routing, const ExpertOptions& options) {
  const Tensor log_p = log_softmax(logits);
  const real scale = options.balance * real(options.count) / real(routing.experts.size());
  Tensor loads({logits.cols()});
  for (int64_t e = 0; e < logits.cols(); ++e) loads.data()[e] = scale * real(routing.counts[e]);
  const Tensor log_sum = slice_cols(logits, 0, 1) - slice_cols(log_p, 0, 1);
  return sum(exp(log_p) * loads) + sum(square(log_sum)) * options.z_loss;
}

Mixture::Mixture(const Path& at, const LayerOptions& layer)
    : options(layer.experts),
      name(at.name()),
      router(at.parameter("router", {layer.d_model, layer.experts.count}, Role::weight,
                          xavier_uniform(layer.d_model, layer.experts.count))) {
  const int64_t width = options.width > 0 ? options.width : layer.d_ff;
  for (int64_t e = 0; e < options.count; ++e) {
    experts.emplace_back(at / "experts" / e, layer, width);
  }
  if (options.shared) shared.emplace(at / "shared", layer, width);
}

Tensor Mixture::operator()(const Tensor& x, Mode mode) const {
  if (x.rows() == 0) return x;
  const Tensor logits = linear(x, router);
  const Routing routing = route(logits, options.active, most_tokens(options, x.rows(), mode));
  ExpertLoad::add(name, routing.counts);
  if (mode == Mode::train) Tape::add_loss(router_loss(logits, routing, options));
  const Tensor weights = options.active == 1 ? pick_cols(softmax(logits), routing.experts)
                                             : softmax(pick_cols(logits, routing.experts));
  std::vector<Tensor> outputs;
  for (int64_t e = 0; e < options.count; ++e) {
    const std::vector<int32_t>& tokens = routing.tokens[e];
    if (!tokens.empty()) outputs.push_back(experts[e](gather_rows(x, tokens), mode));
  }
  const Tensor mixed = mix_rows(concat_rows(outputs), weights, routing.rows);
  return shared ? mixed + (*shared)(x, mode) : mixed;
}

TokenNetwork::TokenNetwork(const Path& at, const LayerOptions& options)
    : network(token_network(at, options)) {}

std::vector<const Linear*> TokenNetwork::products() const {
  if (const auto* dense = std::get_if<FeedForward>(&network)) return {&dense->inner, &dense->outer};
  const auto& mixture = std::get<Mixture>(network);
  std::vector<const Linear*> all;
  for (const FeedForward& expert : mixture.experts) {
    all.insert(all.end(), {&expert.inner, &expert.outer});
  }
  if (mixture.shared) all.insert(all.end(), {&mixture.shared->inner, &mixture.shared->outer});
  return all;
}

}  // namespace calque
