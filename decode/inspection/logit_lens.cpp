#include "decode/inspection/logit_lens.h"

#include <cmath>

#include "core/error.h"

namespace calque {

std::vector<std::vector<LensGuess>> logit_lens(const LanguageModel& model,
                                               std::span<const Tensor> states,
                                               std::span<const int32_t> targets) {
  constexpr int64_t shown = 5;
  const NoGradient nothing_recorded;
  std::vector<std::vector<LensGuess>> lens;
  for (const Tensor& state : states) {
    require(state.rows() == std::ssize(targets), "logit_lens: {} targets for {} tokens",
            targets.size(), state.rows());
    const Tensor logs = read_out(model, state);
    std::vector<LensGuess>& guesses = lens.emplace_back();
    for (int64_t t = 0; t < state.rows(); ++t) {
      const std::span<const real> row = row_of(logs, t);
      guesses.push_back({most_likely(row, shown), static_cast<float>(std::exp(row[targets[t]]))});
    }
  }
  return lens;
}

}  // namespace calque
