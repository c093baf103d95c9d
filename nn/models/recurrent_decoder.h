#pragma once
// The decoder of Bahdanau et al. (2015). Before each step it attends to the source, with its state
// as the query:
//
//   scores   s K^T                       dot      K = forward + backward states
//            s K^T                       general  K = W_a h        (Luong et al. 2015)
//            v tanh(W_q s + K)           additive K = W_k h + b
//   context  c = softmax(scores) h
//   state    s' = cell([embedding; c], s)
//   readout  tanh(W_r [s'; c; embedding])
//
// where h [source tokens, 2 hidden] is the encoder's output. With ScoreKind::none the context is
// the last states of both directions, the same in all steps: one vector has to represent a sentence
// of any length, which attention was invented to avoid.

#include <span>
#include <vector>

#include "nn/layers/attention.h"
#include "nn/layers/recurrent.h"

namespace calque {

// What the steps read from the encoded sources.
struct RecurrentMemory {
  Tensor state;   // before the first step: [sentences, state size]
  Tensor keys;    // [source tokens, hidden], absent without attention
  Tensor values;  // [source tokens, 2 hidden]; without attention [sentences, 2 hidden]
  std::vector<KeyRows> sentences;  // the rows of the values of each sentence
};

struct RecurrentDecoder {
  ScoreKind score;
  std::string name;
  RecurrentCell cell;
  Linear first_state;     // [2 hidden, state size]
  Tensor key;             // [2 hidden, hidden], of additive and general scores
  Tensor key_bias;        // [hidden], of additive scores, as are the next two
  Tensor query;           // [hidden, hidden]
  Tensor additive;        // [hidden]: v
  Linear input;           // [d_model, gates]
  Tensor context_weight;  // [2 hidden, gates]
  Linear readout;         // [3 hidden + d_model, d_model]

  RecurrentDecoder(const Path& at, const RecurrentOptions& options);

  // h [source tokens, 2 hidden]. No sentence may be empty.
  RecurrentMemory remember(const Tensor& h, const Segments& segments) const;

  struct Step {
    Tensor state, context;
  };
  // x: the embedded tokens' products with `input`, [rows, gates]. Row r reads the source rows
  // sources[r].
  Step step(const Tensor& x, const Tensor& state, const RecurrentMemory& memory,
            std::span<const KeyRows> sources) const;
  // The attention weights of each row in a step from this state; not for ScoreKind::none.
  std::vector<std::vector<real>> weights(const Tensor& state, const RecurrentMemory& memory,
                                         std::span<const KeyRows> sources) const;
  // hidden [rows, hidden] after the step, its context and the embedded token -> [rows, d_model]
  Tensor read_out(const Tensor& hidden, const Tensor& context, const Tensor& embedded) const;

  // Runs all steps: embedded [tokens, d_model] -> [tokens, d_model], both with tokens in `order`.
  Tensor operator()(const Tensor& embedded, const TimeOrder& order, const RecurrentMemory& memory,
                    AttentionRecord* record) const;

 private:
  Tensor compared(const Tensor& state) const;  // the queries
};

}  // namespace calque
