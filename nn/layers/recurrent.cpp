#include "nn/layers/recurrent.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "nn/initial.h"

namespace calque {
namespace {

// Ones at the forget gate of an LSTM, so that an untrained cell keeps its contents (Jozefowicz et
// al. 2015); zeros elsewhere.
Initial gate_biases(CellKind kind, int64_t hidden) {
  if (kind == CellKind::gru) return zeros();
  return [hidden](const Stream&, const Shape&, std::span<real> values) {
    std::ranges::fill(values, real(0));
    std::ranges::fill(values.subspan(hidden, hidden), real(1));
  };
}

}  // namespace

TimeOrder::TimeOrder(const Segments& segments, Direction direction)
    : sentences(segments.count()), places(segments.tokens()), starts{0} {
  std::iota(sentences.begin(), sentences.end(), 0);
  std::ranges::stable_sort(sentences, std::greater<>(),
                           [&](int32_t i) { return segments.length(i); });
  auto active_end = sentences.end();
  for (int32_t step = 0; step < segments.longest(); ++step) {
    while (segments.length(*(active_end - 1)) <= step) --active_end;
    for (auto i = sentences.begin(); i != active_end; ++i) {
      const int32_t token =
          direction == Direction::forward ? segments.begin(*i) + step : segments.end(*i) - 1 - step;
      places[token] = static_cast<int32_t>(tokens.size());
      tokens.push_back(token);
    }
    starts.push_back(std::ssize(tokens));
  }
}

RecurrentCell::RecurrentCell(const Path& at, CellKind kind_, int64_t hidden_)
    : kind(kind_),
      hidden(hidden_),
      weight(
          at.parameter("weight", {hidden, gates()}, Role::weight, xavier_uniform(hidden, hidden))),
      bias(at.parameter("bias", {gates()}, Role::bias, gate_biases(kind, hidden))) {}

Tensor RecurrentCell::operator()(const Tensor& x, const Tensor& state) const {
  const Tensor u = linear(hidden_of(state), weight, bias);
  return kind == CellKind::gru ? gru_step(x, u, state) : lstm_step(x, u, state);
}

Tensor RecurrentCell::hidden_of(const Tensor& state) const {
  return kind == CellKind::gru ? state : slice_cols(state, 0, hidden);
}

RecurrentLayer::RecurrentLayer(const Path& at, CellKind kind, int64_t in, int64_t hidden,
                               Direction direction_)
    : cell(at / "cell", kind, hidden),
      input(at / "input", in, cell.gates(), xavier_uniform(in, hidden)),
      direction(direction_) {}

Tensor RecurrentLayer::operator()(const Tensor& x, const Segments& segments) const {
  const TimeOrder order(segments, direction);
  if (order.steps() == 0) return Tensor({0, cell.hidden});
  const Tensor inputs = input(gather_rows(x, order.tokens));
  Tensor state({order.rows(0), cell.state_size()});
  std::ranges::fill(state.span(), real(0));
  std::vector<Tensor> states;
  for (int64_t step = 0; step < order.steps(); ++step) {
    state = cell(slice_rows(inputs, order.starts[step], order.starts[step + 1]),
                 slice_rows(state, 0, order.rows(step)));
    states.push_back(cell.hidden_of(state));
  }
  return gather_rows(concat_rows(states), order.places);
}

}  // namespace calque
