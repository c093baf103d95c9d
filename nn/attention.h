#pragma once
// Multi-head attention (section 3.2): every token asks a question of all tokens, and takes from
// each as much as its key answers the question:
//
//   Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V          d_k = d_model / heads
//   MultiHead(x, m)    = Concat(head_1 .. head_h) W_O           head_i = Attention on the i-th part
//   of
//                                                               x W_Q, m W_K, m W_V
//
// The paper uses it in three ways: the encoder's tokens attend to each other; the decoder's attend
// to each other, but only backwards (causal), so that training on a whole sentence asks at every
// place what comes next; and the decoder's attend to the encoder's. The first two are
// SelfAttention, whose W_Q, W_K, W_V lie side by side so that one product serves all three; the
// third is CrossAttention.

#include <span>
#include <string>
#include <vector>

#include "core/ops.h"
#include "nn/linear.h"
#include "nn/mode.h"
#include "nn/options.h"

namespace calque {

// The attention weights of one forward pass, for pictures and tests: give its address to the pass,
// and every attention in it adds its own. They are those of evaluation, without dropout.
struct AttentionRecord {
  struct Block {
    std::string name;               // as its parameters': "decoder.layers.0.cross_attention"
    std::vector<Tensor> sentences;  // of sentence i: [heads, queries, keys]; rows sum to 1
  };
  std::vector<Block> blocks;  // in the order in which they ran

  const Block& at(std::string_view name) const;  // a name that is not there is a Misuse
};

enum class Mask { none, causal };

struct SelfAttention {
  Linear qkv;     // [d_model, 3 d_model]
  Linear output;  // [d_model, d_model]
  int64_t heads;
  Mask mask;
  bool rotary;
  real dropout;
  std::string name;

  SelfAttention(const Path& at, const LayerOptions& options, Mask mask);

  // [tokens, d_model] -> [tokens, d_model]
  Tensor operator()(const Tensor& x, const Segments& segments, Mode mode,
                    AttentionRecord* record = nullptr) const;

  // Queries, keys and values side by side, turned to their positions where these are rotary:
  // [tokens, 3 d_model]. Sentence i starts at position starts[i]; a cache keeps the last two
  // thirds.
  Tensor project(const Tensor& x, const Segments& segments,
                 std::span<const int32_t> starts = {}) const;

  AttentionOptions attention_options(Mode mode) const;
};

struct CrossAttention {
  Linear query;      // [d_model, d_model]
  Linear key_value;  // [d_model, 2 d_model]
  Linear output;     // [d_model, d_model]
  int64_t heads;
  real dropout;
  std::string name;

  CrossAttention(const Path& at, const LayerOptions& options);

  // x [target tokens, d_model] attends to memory [source tokens, d_model] -> [target tokens,
  // d_model]
  Tensor operator()(const Tensor& x, const Segments& segments, const Tensor& memory,
                    const Segments& memory_segments, Mode mode,
                    AttentionRecord* record = nullptr) const;

  // Keys and values of the memory side by side, the same for every step of a translation:
  // [source tokens, 2 d_model].
  Tensor project_memory(const Tensor& memory) const { return key_value(memory); }

  AttentionOptions attention_options(Mode mode) const;
};

}  // namespace calque
