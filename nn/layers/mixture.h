#pragma once
// A mixture of experts (Shazeer et al. 2017; Jiang et al. 2024: Mixtral) in place of the
// feed-forward network. A router scores E experts for each token, and only the k experts with the
// highest scores process it: the model grows with E, the work per token with k.
//
//   s = x Wr                          the router's logits, one for each expert
//   g = softmax(s over the best k)    with k = 1: the probability of the expert among all
//   y = sum over the best k of g_e expert_e(x)  (+ shared(x))
//
// Two losses, added to the tape, keep the router useful (T tokens, c_e of them to expert e, p the
// softmax over all experts; both are sums over tokens, as every loss is):
//
//   balance   b E / (k T) sum_e c_e sum_t p_te       b T if the experts have equal loads
//   z-loss    z sum_t (log sum_e exp s_te)^2         keeps the logits small
//
// In training, the number of tokens of an expert may be limited to an equal share times `capacity`.
// The expert drops the tokens beyond the limit, in their order; the residual connection passes them
// on.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nn/layers/feed_forward.h"

namespace calque {

// Which tokens go to which experts.
struct Routing {
  std::vector<int32_t> experts = {};  // [tokens k], the best first
  std::vector<int32_t> rows = {};     // [tokens k], the row among all experts' rows; -1: dropped
  std::vector<std::vector<int32_t>> tokens = {};  // of each expert
  std::vector<int64_t> counts = {};               // of each expert, dropped tokens included
};

// Selects the `active` experts with the largest logits for each row of logits [tokens, experts]; of
// equal logits, the first. No expert takes more than `most` tokens.
Routing route(const Tensor& logits, int64_t active, int64_t most);

// The sum of both losses of the router.
Tensor router_loss(const Tensor& logits, const Routing& routing, const ExpertOptions& options);

struct Mixture {
  ExpertOptions options;
  std::string name;
  Tensor router;  // [d_model, experts]
  std::vector<FeedForward> experts;
  std::optional<FeedForward> shared;

  Mixture(const Path& at, const LayerOptions& options);

  // [tokens, d_model] -> [tokens, d_model]
  Tensor operator()(const Tensor& x, Mode mode) const;
};

// The network that transforms each token by itself: dense, or a mixture of experts.
struct TokenNetwork {
  std::variant<FeedForward, Mixture> network;

  TokenNetwork(const Path& at, const LayerOptions& options);

  Tensor operator()(const Tensor& x, Mode mode) const {
    return std::visit([&](const auto& chosen) { return chosen(x, mode); }, network);
  }
  std::vector<const Linear*> products() const;  // all linear layers, not the router
};

}  // namespace calque
