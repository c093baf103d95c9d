#pragma once
// Multi-head attention (Vaswani et al. 2017, section 3.2): the query of each token is compared with
// the keys of all tokens, and the result is the mean of their values, weighted by the match.
//
//   Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V,  d_k the size of a head
//   MultiHead(x, m)    = Concat(head_1 .. head_h) W_O
//   head_i             = Attention on part i of the columns of x W_Q, m W_K, m W_V
//
// The paper uses it in three ways. The tokens of the encoder attend to each other; the tokens of
// the decoder attend to each other with a causal mask, so that training predicts all tokens of a
// sentence at once; and the tokens of the decoder attend to those of the encoder. SelfAttention
// implements the first two, with one product for W_Q, W_K and W_V, and may be sparse
// (core/sparsity.h); CrossAttention implements the third.
//
// Below, d is heads * d_k, usually d_model, and kd is kv_heads * d_k: with fewer heads of keys and
// values than of queries, several heads share them (Ainslie et al. 2023: grouped-query attention).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ops.h"
#include "nn/layers/linear.h"
#include "nn/layers/norm.h"
#include "nn/mode.h"
#include "nn/options.h"

namespace calque {

// Records the attention weights, without dropout, of a forward pass that receives its address: for
// visualisation and tests.
struct AttentionRecord {
  struct Entry {
    std::string name;               // of the module: "decoder.layers.0.cross_attention"
    std::vector<Tensor> sentences;  // of each sentence, [heads, queries, keys]; rows sum to 1
  };
  std::vector<Entry> entries;  // in the order of execution

  const Entry& at(std::string_view name) const;  // throws a Misuse for an unknown name
};

enum class Mask { none, causal };

struct SelfAttention {
  Linear qkv;     // [d_model, d + 2 kd]
  Linear output;  // [d, d_model]
  std::optional<HeadNorm> query_norm, key_norm;
  AttentionOptions options;         // without dropout
  std::vector<double> frequencies;  // of rotary positions; empty: none
  real dropout;
  std::string name;

  SelfAttention(const Path& at, const LayerOptions& options, Mask mask);

  // [tokens, d_model] -> [tokens, d_model]
  Tensor operator()(const Tensor& x, const Segments& segments, Mode mode,
                    AttentionRecord* record = nullptr) const;

  // Queries, keys and values in one tensor, with norms and rotary positions if there are any:
  // [tokens, d + 2 kd]. Sentence i starts at position starts[i].
  Tensor project(const Tensor& x, const Segments& segments,
                 std::span<const int32_t> starts = {}) const;

  int64_t query_columns() const { return output.weight.rows(); }                     // d
  int64_t key_columns() const { return (qkv.weight.cols() - query_columns()) / 2; }  // kd
  AttentionOptions attention_options(Mode mode) const;
};

struct CrossAttention {
  Linear query;      // [d_model, d]
  Linear key_value;  // [d_model, 2 kd]
  Linear output;     // [d, d_model]
  std::optional<HeadNorm> query_norm, key_norm;
  AttentionOptions options;  // without dropout
  real dropout;
  std::string name;

  CrossAttention(const Path& at, const LayerOptions& options);

  // x [target tokens, d_model] attends to memory [source tokens, d_model] -> the shape of x
  Tensor operator()(const Tensor& x, const Segments& segments, const Tensor& memory,
                    const Segments& memory_segments, Mode mode,
                    AttentionRecord* record = nullptr) const;

  // The queries: [target tokens, d].
  Tensor project(const Tensor& x) const;
  // Keys and values of the memory, the same for every step of decoding: [source tokens, 2 kd].
  Tensor project_memory(const Tensor& memory) const;

  int64_t key_columns() const { return key_value.weight.cols() / 2; }  // kd
  AttentionOptions attention_options(Mode mode) const;
};

}  // namespace calque
