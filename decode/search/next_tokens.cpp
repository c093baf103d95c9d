#include "decode/search/next_tokens.h"

#include <cmath>

#include "core/ops.h"

namespace calque {

Tensor mean_of_probabilities(const std::vector<Tensor>& scores) {
  if (scores.size() == 1) return scores.front();
  Tensor total = log_softmax(scores.front());
  for (size_t i = 1; i < scores.size(); ++i) total = log_of_sum(total, log_softmax(scores[i]));
  return total - std::log(static_cast<real>(scores.size()));
}

}  // namespace calque
