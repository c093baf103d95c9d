#include "decode/inspection/zeroed_heads.h"

#include <algorithm>
#include <cmath>

#include "core/tape.h"

namespace calque {
namespace {

// Factors for copies of a text: copy i lacks head first + i of the layer.
Tensor one_head_less(const LanguageModel& model, int64_t layer, int64_t first, int64_t copies,
                     int64_t tokens) {
  const int64_t columns = model.options.layer.query_columns();
  Tensor factors({copies * tokens, columns});
  for (int64_t row = 0; row < copies * tokens; ++row) {
    const HeadPlace place{layer, first + row / tokens};
    const Tensor of_copy = head_factors(model, layer, {&place, 1});
    std::ranges::copy(of_copy.span(), factors.span().begin() + row * columns);
  }
  return factors;
}

}  // namespace

std::vector<ZeroedHead> zeroed_heads(const LanguageModel& model, std::span<const Tensor> states,
                                     int32_t target) {
  const NoGradient nothing_recorded;
  const int64_t heads = model.options.layer.heads, tokens = states.front().rows();
  const int64_t at_once = texts_at_once(tokens);
  const Tensor before = read_out(model, ends_of(states.back(), equal_texts(1, tokens)));
  std::vector<ZeroedHead> zeroed;
  for (int64_t layer = 0; layer < std::ssize(model.stack.layers); ++layer) {
    for (int64_t first = 0; first < heads; first += at_once) {
      const int64_t count = std::min(at_once, heads - first);
      const Segments copies = equal_texts(count, tokens);
      const Tensor state = concat_rows(std::vector<Tensor>(count, states[layer]));
      const Tensor next = after_layer(model.stack.layers[layer], state, copies,
                                      one_head_less(model, layer, first, count, tokens));
      const Tensor last = last_state(model, next, layer + 1, copies);
      const Tensor logs = read_out(model, ends_of(last, copies));
      for (int64_t i = 0; i < count; ++i) {
        const std::span<const real> row = row_of(logs, i);
        zeroed.push_back({static_cast<int>(layer), static_cast<int>(first + i),
                          static_cast<float>(std::exp(row[target])),
                          changed_tokens(row_of(before, 0), row)});
      }
    }
  }
  return zeroed;
}

}  // namespace calque
