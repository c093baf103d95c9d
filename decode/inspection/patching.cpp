#include "decode/inspection/patching.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/tape.h"

namespace calque {
namespace {

// The tokens whose probability grows, and shrinks, by most from one distribution to another.
void compare(std::span<const real> before, std::span<const real> after, Patching& patching) {
  double most = 0, least = 0;
  for (size_t id = 0; id < before.size(); ++id) {
    const double gain = std::exp(double{after[id]}) - std::exp(double{before[id]});
    if (id == 0 || gain > most) most = gain, patching.gains = static_cast<int32_t>(id);
    if (id == 0 || gain < least) least = gain, patching.loses = static_cast<int32_t>(id);
  }
}

// Copies of a state, one for each token from `first` on: copy i has token first + i of the other.
Tensor patched_copies(const Tensor& state, const Tensor& other, int64_t first, int64_t count) {
  const int64_t columns = state.cols();
  Tensor copies({count * state.rows(), columns});
  for (int64_t i = 0; i < count; ++i) {
    const auto copy = copies.span().subspan(i * state.size(), state.size());
    std::ranges::copy(state.span(), copy.begin());
    const int64_t at = (first + i) * columns;
    std::ranges::copy(other.span().subspan(at, columns), copy.begin() + at);
  }
  return copies;
}

}  // namespace

Patching patch_states(const LanguageModel& model, std::span<const int32_t> ids,
                      std::span<const int32_t> other) {
  require(ids.size() == other.size() && !ids.empty(), "patch_states: {} and {} tokens", ids.size(),
          other.size());
  const NoGradient nothing_recorded;
  const int64_t tokens = std::ssize(ids), at_once = texts_at_once(tokens);
  const std::vector<Tensor> states = residual_states(model, ids);
  const std::vector<Tensor> others = residual_states(model, other);
  Patching patching;
  patching.other.assign(other.begin(), other.end());
  const auto difference = [&](std::span<const real> logs) {
    return static_cast<float>(logs[patching.gains] - logs[patching.loses]);
  };
  const Segments whole = equal_texts(1, tokens);
  const Tensor before = read_out(model, ends_of(states.back(), whole));
  const Tensor after = read_out(model, ends_of(others.back(), whole));
  compare(row_of(before, 0), row_of(after, 0), patching);
  patching.before = difference(row_of(before, 0));
  patching.after = difference(row_of(after, 0));
  patching.patched = {std::ssize(states), tokens, {}};
  for (int64_t state = 0; state < std::ssize(states); ++state) {
    for (int64_t first = 0; first < tokens; first += at_once) {
      const int64_t count = std::min(at_once, tokens - first);
      const Segments copies = equal_texts(count, tokens);
      const Tensor last = last_state(
          model, patched_copies(states[state], others[state], first, count), state, copies);
      const Tensor logs = read_out(model, ends_of(last, copies));
      for (int64_t i = 0; i < count; ++i) {
        patching.patched.values.push_back(difference(row_of(logs, i)));
      }
    }
  }
  return patching;
}

}  // namespace calque
