#pragma once
// Recurrent networks over packed sentences: each token updates a state. The sentences of a batch
// advance in parallel, the longest first, so that those that have not ended are always the first
// rows.

#include <cstdint>
#include <vector>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/layers/linear.h"
#include "nn/options.h"

namespace calque {

enum class Direction { forward, backward };

// The tokens of packed sentences in the order in which they are read: first the tokens of step 0 of
// all sentences, then those of step 1, and so on.
struct TimeOrder {
  std::vector<int32_t> sentences;  // the longest first
  std::vector<int32_t> tokens;     // by their index in the packed sequence
  std::vector<int32_t> places;     // the index in `tokens` of each token of the packed sequence
  std::vector<int64_t> starts;     // of each step in `tokens`, and the end

  // With Direction::backward, step 0 reads the last token of each sentence.
  explicit TimeOrder(const Segments& segments, Direction direction = Direction::forward);

  int64_t steps() const { return std::ssize(starts) - 1; }
  int64_t rows(int64_t step) const { return starts[step + 1] - starts[step]; }
};

// Advances a state by one step. The state of an LSTM has two halves side by side: hidden and cell.
struct RecurrentCell {
  CellKind kind;
  int64_t hidden;
  Tensor weight;  // [hidden, gates()]
  Tensor bias;    // [gates()]

  RecurrentCell(const Path& at, CellKind kind, int64_t hidden);

  int64_t gates() const { return (kind == CellKind::gru ? 3 : 4) * hidden; }
  int64_t state_size() const { return (kind == CellKind::gru ? 1 : 2) * hidden; }

  // x: the products of the inputs with their weights, [rows, gates()]; state [rows, state_size()].
  // Returns the new state.
  Tensor operator()(const Tensor& x, const Tensor& state) const;
  // state [rows, state_size()] -> [rows, hidden]
  Tensor hidden_of(const Tensor& state) const;
};

// A layer in one direction.
struct RecurrentLayer {
  RecurrentCell cell;
  Linear input;
  Direction direction;

  RecurrentLayer(const Path& at, CellKind kind, int64_t in, int64_t hidden, Direction direction);

  // [tokens, in] -> [tokens, hidden]
  Tensor operator()(const Tensor& x, const Segments& segments) const;
};

// Both directions side by side: each token sees the whole sentence.
struct BidirectionalLayer {
  RecurrentLayer forward, backward;

  BidirectionalLayer(const Path& at, CellKind kind, int64_t in, int64_t hidden)
      : forward(at / "forward", kind, in, hidden, Direction::forward),
        backward(at / "backward", kind, in, hidden, Direction::backward) {}

  // [tokens, in] -> [tokens, 2 hidden]
  Tensor operator()(const Tensor& x, const Segments& segments) const {
    return concat_cols(std::vector{forward(x, segments), backward(x, segments)});
  }
};

}  // namespace calque
