#pragma once
// The catalogue of ops. Each function computes its result. While a Tape is alive and an input
// requires a gradient, it also records its backward pass, unless noted. x.cols() is the size of the
// last axis, x.rows() the product of the others; unless noted, ops support any number of axes.
// Integers (token ids, offsets) are plain arrays.
//
// Elementwise arithmetic broadcasts b over a in four cases: b has the shape of a; or b has the
// shape of a's last axes (a row, a position table); or b has a's shape with a last axis of 1 (one
// number for each row); or b is a single number.

#include <cstdint>
#include <span>
#include <vector>

#include "core/activation.h"
#include "core/segments.h"
#include "core/sparsity.h"
#include "core/tape.h"
#include "core/tensor.h"

namespace calque {

// Elementwise: ops/elementwise.cpp, ops/unary.cpp, ops/dropout.cpp

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor affine(const Tensor& x, real scale, real shift);  // scale x + shift
inline Tensor operator*(const Tensor& x, real scale) { return affine(x, scale, 0); }
inline Tensor operator+(const Tensor& x, real shift) { return affine(x, 1, shift); }
inline Tensor operator-(const Tensor& x, real shift) { return affine(x, 1, -shift); }
inline Tensor operator-(const Tensor& x) { return affine(x, -1, 0); }

Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor square(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);    // 1 / (1 + exp(-x))
Tensor relu(const Tensor& x);       // max(x, 0)
Tensor gelu(const Tensor& x);       // x P(X <= x), X standard normal: x erfc(-x / sqrt(2)) / 2
Tensor gelu_tanh(const Tensor& x);  // x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
Tensor silu(const Tensor& x);       // x sigmoid(x)

// Gated activations of the halves a and b of each row of x: [.., 2 n] -> [.., n].
Tensor swiglu(const Tensor& x);      // silu(a) b
Tensor geglu(const Tensor& x);       // gelu(a) b
Tensor geglu_tanh(const Tensor& x);  // gelu_tanh(a) b

// Sets each element to 0 with probability p and divides the others by 1 - p. Without a tape or with
// p = 0 it is the identity.
Tensor dropout(const Tensor& x, real p);

// Reductions: ops/reduction.cpp

Tensor sum(const Tensor& x);           // -> []
Tensor mean(const Tensor& x);          // -> []
Tensor sum_of_rows(const Tensor& x);   // the sum over rows: [.., n] -> [n]
Tensor sum_in_rows(const Tensor& x);   // each row's sum: [.., n] -> [.., 1]
Tensor mean_in_rows(const Tensor& x);  // [.., n] -> [.., 1]
Tensor max_in_rows(const Tensor& x);   // [.., n] -> [.., 1]; the gradient goes to the first maximum
// The mean of the rows of each segment, 0 for an empty one: [tokens, n] -> [segments, n].
Tensor mean_of_segments(const Tensor& x, const Segments& segments);

// Products: ops/matmul.cpp, ops/linear.cpp, ops/adapter.cpp

enum class Transpose { none, left, right, both };
// a b of two matrices, or of batches of matrices with equal leading axes.
Tensor matmul(const Tensor& a, const Tensor& b, Transpose transpose = Transpose::none);

// activation(x w + b): x [.., in], w [in, out], b [out] or absent; [.., out / 2] if gated.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b = {},
              Activation activation = Activation::none);
// A linear layer with frozen weights and a trained low-rank correction (Hu et al. 2021: LoRA):
//   activation(x w + bias + scale dropout(x, p) [a_0 b_0, a_1 b_1, ...])
// The columns of the result have as many parts as there are b, each of rank r: a [in, parts r] is
// a_0, a_1, ... side by side, and b[i] is [r, columns of part i]. w and bias must not require a
// gradient.
Tensor adapted_linear(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& a,
                      std::span<const Tensor> b, real scale, real p,
                      Activation activation = Activation::none);

// Layout: ops/layout.cpp

Tensor swap_axes(const Tensor& x, int first, int second);        // two axes exchanged
Tensor transpose(const Tensor& x);                               // the last two axes swapped
Tensor slice_rows(const Tensor& x, int64_t begin, int64_t end);  // along the first axis
Tensor slice_cols(const Tensor& x, int64_t begin, int64_t end);  // along the last axis
Tensor concat_rows(std::span<const Tensor> parts);               // along the first axis
Tensor concat_cols(std::span<const Tensor> parts);               // along the last axis
// Rows of the first axis by index; an index may be repeated.
Tensor gather_rows(const Tensor& x, std::span<const int32_t> rows);

// Experts: ops/experts.cpp

// A few numbers of each row, by column: x [rows, n], cols [rows k] -> [rows, k].
Tensor pick_cols(const Tensor& x, std::span<const int32_t> cols);
// Weighted sums of rows: row t of the result is the sum over j of weights[t, j] x[rows[t k + j]].
// A negative index adds nothing; no other index may occur twice.
//   x [any, d], weights [t, k] -> [t, d]
Tensor mix_rows(const Tensor& x, const Tensor& weights, std::span<const int32_t> rows);

// Softmax, norms, residual: ops/softmax.cpp, ops/norm.cpp

Tensor softmax(const Tensor& x);      // of each row; no finite input overflows
Tensor log_softmax(const Tensor& x);  // of each row

// gain (x - mean) / sqrt(variance + epsilon) + bias, over each row; gain, bias [cols].
Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, real epsilon = 1e-5f);
// gain x / sqrt(mean of x^2 + epsilon), over each row.
Tensor rms_norm(const Tensor& x, const Tensor& gain, real epsilon = 1e-5f);

// x + dropout(y, p): the residual connection.
Tensor residual(const Tensor& x, const Tensor& y, real p);
// layer_norm(residual(x, y, p)), or rms_norm if bias is absent: post-norm in one pass.
Tensor residual_norm(const Tensor& x, const Tensor& y, real p, const Tensor& gain,
                     const Tensor& bias, real epsilon = 1e-5f);

// Tokens: ops/embedding.cpp, ops/position.cpp

// Row t of the result is scale * table[ids[t]], or zeros if ids[t] is no_token: table
// [vocabulary, d] -> [tokens, d].
inline constexpr int32_t no_token = -1;
Tensor embedding(const Tensor& table, std::span<const int32_t> ids, real scale = 1);

// Adds row p of the table [positions, d] to the token at position p of its sentence. Sentence i
// starts at position starts[i], or at 0 if starts is empty.
Tensor add_positions(const Tensor& x, const Tensor& table, const Segments& segments,
                     std::span<const int32_t> starts = {});

// Rotary positions (Su et al. 2021). The columns [begin, end) of x are heads of head_size numbers.
// Of each head, the first 2 n numbers are rotated, where n is the number of frequencies: in a token
// at position p, the pair (k, k + n) by the angle p frequencies[k] (core/rotation.h).
Tensor rotary(const Tensor& x, const Segments& segments, int64_t begin, int64_t end,
              int64_t head_size, std::span<const double> frequencies,
              std::span<const int32_t> starts = {});

// Attention: ops/attention.cpp

struct AttentionOptions {
  int64_t heads = 1;    // of queries
  bool causal = false;  // query i sees keys up to i + (keys - queries) of its sentence
  real dropout = 0;     // probability for the attention weights
  // Which keys a query sees. Sparse attention requires the same sentences for queries and keys. If
  // it excludes no key, the result has the same bits as full attention.
  Sparsity sparsity = {};
  int64_t key_heads = 0;  // of keys and values, each for heads / key_heads heads; 0: heads
  real scale = 0;         // of the scores; 0: 1 / sqrt(head size)
  real cap = 0;           // a score s becomes cap tanh(s / cap); 0: it stays

  int64_t heads_of_keys() const { return key_heads > 0 ? key_heads : heads; }
};

// Scaled dot-product attention, softmax(scale q k^T) v, in `heads` equal parts of the columns.
// Sentence i of the queries attends to sentence i of the keys; for a sentence without keys the
// result is 0. With fewer heads of keys and values, k and v have kd = d key_heads / heads columns,
// and consecutive heads of queries share one of them (Ainslie et al. 2023: grouped-query
// attention). The backward pass recomputes the weights; they are not stored.
//   q [query tokens, d], k [key tokens, kd], v [key tokens, kd] -> [query tokens, d]
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const Segments& queries,
                 const Segments& keys, const AttentionOptions& options);
// The same with q, k, v side by side: qkv [tokens, d + 2 kd] -> [tokens, d].
Tensor self_attention(const Tensor& qkv, const Segments& segments, const AttentionOptions& options);
// The same with k and v side by side: q [query tokens, d], kv [key tokens, 2 kd].
Tensor cross_attention(const Tensor& q, const Tensor& kv, const Segments& queries,
                       const Segments& keys, const AttentionOptions& options);

// The weights of attention() for each sentence, [heads, queries, keys], without dropout and without
// gradients: for visualisation and tests.
std::vector<Tensor> attention_weights(const Tensor& q, const Tensor& k, const Segments& queries,
                                      const Segments& keys, const AttentionOptions& options);

// Recurrent networks: ops/recurrent.cpp, ops/attend_once.cpp. x and u are the products of the input
// and of the state with their weights, biases included.

// Gated recurrent unit (Cho et al. 2014): r, z = sigmoid(x + u), n = tanh(x + r u),
// new state = n + z (state - n).
//   x, u [rows, 3 h] in the order r, z, n; state [rows, h] -> [rows, h]
Tensor gru_step(const Tensor& x, const Tensor& u, const Tensor& state);
// Long short-term memory (Hochreiter and Schmidhuber 1997): i, f, o = sigmoid(x + u),
// n = tanh(x + u), cell = f cell + i n, hidden = o tanh(cell).
//   x, u [rows, 4 h] in the order i, f, n, o; state [rows, 2 h], hidden beside cell -> [rows, 2 h]
Tensor lstm_step(const Tensor& x, const Tensor& u, const Tensor& state);

// The rows of the keys that a query sees.
struct KeyRows {
  int32_t begin = 0, end = 0;
};

// Attention of single queries: row r of the result is the sum of the values in ranges[r], weighted
// by the softmax of their scores, or 0 if the range is empty. The score of a key is v tanh(q + k)
// (Bahdanau et al. 2015), or q k if v is absent. If the op is recorded on a tape, the ranges must
// not overlap.
//   q [queries, a], keys [tokens, a], values [tokens, d], v [a] -> [queries, d]
Tensor attend_once(const Tensor& q, const Tensor& keys, const Tensor& values, const Tensor& v,
                   std::span<const KeyRows> ranges);
// The weights of attend_once() for each query, without gradients; v may be absent.
std::vector<std::vector<real>> attend_once_weights(const Tensor& q, const Tensor& keys,
                                                   const Tensor& v,
                                                   std::span<const KeyRows> ranges);

// Losses: ops/cross_entropy.cpp, ops/negative_sampling.cpp

// The results of cross-entropy over a vocabulary of V tokens, summed over the tokens. The target
// distribution is (1 - smoothing) on the expected token plus smoothing / V on every token.
struct TokenLoss {
  Tensor loss;          // [], carries the gradient
  double nll = 0;       // sum of -log p(expected), without smoothing
  int64_t correct = 0;  // tokens whose expected id is the most probable (the first of ties)
  int64_t tokens = 0;
};

// The cross-entropy of logits = x w^T + b: x [tokens, d], w [V, d] (the layout of an embedding
// table), b [V] or absent. Only a block of rows of the logits exists at a time. With a cap above 0,
// here and below, a logit z becomes cap tanh(z / cap).
TokenLoss projected_cross_entropy(const Tensor& x, const Tensor& w, const Tensor& b,
                                  std::span<const int32_t> expected, real smoothing, real cap = 0);
// The loss of R-Drop (Liang et al., NeurIPS 2021) for two passes x and y over the same tokens with
// different dropout: the mean of both losses, plus agreement / 4 times (KL(p || p') + KL(p' || p)),
// summed over the tokens. nll and correct are those of the first pass. b may be absent.
TokenLoss agreeing_cross_entropy(const Tensor& x, const Tensor& y, const Tensor& w, const Tensor& b,
                                 std::span<const int32_t> expected, real smoothing, real agreement,
                                 real cap = 0);
// The loss of distillation (Hinton et al. 2015): (1 - share) times that of
// projected_cross_entropy() plus share KL(q || p), summed over the tokens, where p are the
// probabilities of the model and q those of a teacher, whose logits are y v^T + c. No gradient
// reaches the teacher. nll and correct are those of the expected tokens.
//   x [tokens, d], w [V, d], b [V] or absent; y [tokens, any], v [V, any], c [V] or absent
TokenLoss distilled_cross_entropy(const Tensor& x, const Tensor& w, const Tensor& b,
                                  const Tensor& y, const Tensor& v, const Tensor& c,
                                  std::span<const int32_t> expected, real smoothing, real share,
                                  real cap = 0, real teacher_cap = 0);
// The cross-entropy of given logits [tokens, V].
TokenLoss cross_entropy(const Tensor& logits, std::span<const int32_t> expected, real smoothing);
// log p(expected) of each token, for scoring; no gradient. b may be absent.
std::vector<real> log_probabilities(const Tensor& x, const Tensor& w, const Tensor& b,
                                    std::span<const int32_t> expected, real cap = 0);
// The same with a gradient: [tokens, 1]. The backward pass computes the logits again.
Tensor projected_log_probabilities(const Tensor& x, const Tensor& w, const Tensor& b,
                                   std::span<const int32_t> expected, real cap = 0);

// Negative sampling (Mikolov et al. 2013). Row i of x has 1 + n candidates, rows of w by index: the
// expected one and n negatives. If s_k is the product of x_i and candidate k, the loss of row i is
//   -log sigmoid(s_0) - sum over k > 0 of log sigmoid(-s_k)
// nll is the sum of the first term; `correct` counts the rows whose s_0 is larger than all other
// products.
//   x [rows, d], w [vocabulary, d], candidates [rows, 1 + n]
TokenLoss negative_sampling(const Tensor& x, const Tensor& w, std::span<const int32_t> candidates);

}  // namespace calque
