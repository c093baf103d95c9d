#pragma once
// The options of the models. Most names and defaults are those of the base model of "Attention Is
// All You Need" (Vaswani et al. 2017, "the paper"); only the vocabularies are required. The options
// of a model without recurrence contain the LayerOptions that its modules share.

#include <cstdint>

#include "core/activation.h"
#include "core/named.h"
#include "core/precision.h"
#include "core/real.h"
#include "core/rotation.h"
#include "core/sparsity.h"

namespace calque {

// How positions enter the model (nn/layers/positions.h has the formulas).
enum class PositionKind { interleaved, halves, t2t, fairseq, learned, rotary, plane, none };
// Whether it is one of the tables of sines and cosines of a position.
bool is_sinusoidal(PositionKind kind);
// post: norm(x + sublayer(x)), as in the paper; pre: x + sublayer(norm(x)), and a norm at the end;
// both: x + norm(sublayer(norm(x))), and a norm at the end.
enum class NormPlacement { post, pre, both };
// rms_centered: RMSNorm whose parameter is the distance of the gain from 1.
enum class NormKind { layer, rms, rms_centered };
// Which linear layers have biases: all; those of attention; queries, keys and values; or none.
enum class BiasedLayers { all, attention, qkv, none };
// Which embeddings share a table: source, target and output; only target and output; or none.
enum class Tying { all, target, none };

// What the decoder reads before the first token: the embedding of <s>, or zeros.
enum class DecoderStart { bos, zero };

// How a classifier reduces a sequence to one vector: the first token, or the mean of all.
enum class Pooling { cls, mean };

// A mixture of experts in place of each feed-forward network (nn/layers/mixture.h).
struct ExpertOptions {
  int64_t count = 0;          // 0: one dense network
  int64_t active = 2;         // experts that process each token
  int64_t width = 0;          // numbers inside an expert; 0: d_ff
  bool shared = false;        // one more expert, which processes all tokens
  real capacity = 0;          // most tokens of an expert in training, in equal shares; 0: no limit
  real balance = real(0.01);  // weight of the loss that balances the experts
  real z_loss = real(0.001);  // weight of the loss that keeps the router's logits small

  bool operator==(const ExpertOptions&) const = default;
};

// A low-rank adapter of each linear layer of a kind, whose weights are frozen
// (nn/layers/adapter.h).
enum class AdapterKind { none, lora };
struct AdapterOptions {
  AdapterKind kind = AdapterKind::none;
  int64_t rank = 16;
  real alpha = 32;                   // the correction is multiplied by alpha / rank
  real dropout = real(0.05);         // of the adapter's input
  bool attention = true;             // adapts the projections of attention
  bool feed_forward = true;          // adapts the feed-forward networks
  Precision base = Precision::full;  // how the frozen weights are kept in memory

  explicit operator bool() const { return kind != AdapterKind::none; }
  bool operator==(const AdapterOptions&) const = default;
};

// The options that modules share.
struct LayerOptions {
  int64_t d_model = 512;   // numbers in the vector of a token
  int64_t d_ff = 2048;     // numbers inside the feed-forward network
  int64_t heads = 8;       // of attention
  int64_t kv_heads = 0;    // of keys and values, each for heads / kv_heads heads; 0: heads
  int64_t head_width = 0;  // numbers of a head; 0: d_model / heads

  PositionKind positions = PositionKind::interleaved;
  int64_t max_positions = 1024;  // rows of the table of positions; a limit only for `learned`
  Rotation rotation = {};        // of `rotary`
  NormPlacement norm_placement = NormPlacement::post;
  NormKind norm_kind = NormKind::layer;
  real norm_epsilon = real(1e-5);
  Activation activation = Activation::relu;  // of the feed-forward network
  ExpertOptions experts = {};
  Sparsity attention = {};       // of self-attention
  bool scale_embeddings = true;  // by the square root of d_model (section 3.4)
  bool qk_norm = false;          // queries and keys are normalised in each head
  real attention_scale = 0;      // of the scores; 0: 1 / sqrt(head size)
  real attention_cap = 0;        // a score s becomes cap tanh(s / cap); 0: it stays
  BiasedLayers biases = BiasedLayers::all;
  AdapterOptions adapter = {};
  // Scales the initial values of the weights that write to the residual stream.
  real residual_initial_scale = 1;

  real dropout = real(0.1);     // of each sublayer's output and of the embeddings (section 5.4)
  real attention_dropout = 0;   // of the attention weights
  real activation_dropout = 0;  // inside the feed-forward network

  int64_t head_size() const { return head_width > 0 ? head_width : d_model / heads; }
  int64_t key_heads() const { return kv_heads > 0 ? kv_heads : heads; }
  int64_t query_columns() const { return heads * head_size(); }
  int64_t key_columns() const { return key_heads() * head_size(); }
  bool operator==(const LayerOptions&) const = default;
};

// The encoder-decoder model (nn/models/transformer.h).
struct TransformerOptions {
  LayerOptions layer;
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  int64_t encoder_layers = 6;
  int64_t decoder_layers = 6;
  Tying tying = Tying::all;
  DecoderStart decoder_start = DecoderStart::bos;
  bool source_end = true;  // sources end in </s>
  bool output_bias = false;
  real output_cap = 0;  // above 0: a logit z becomes cap tanh(z / cap)

  bool operator==(const TransformerOptions&) const = default;
};

enum class CellKind { gru, lstm };
// How the decoder's state is compared with the source (nn/models/recurrent_translator.h has the
// formulas).
enum class ScoreKind { none, additive, dot, general };

// The recurrent encoder-decoder model (nn/models/recurrent_translator.h).
struct RecurrentOptions {
  int64_t d_model = 512;  // numbers in an embedding
  int64_t hidden = 512;   // numbers in a state
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  int64_t encoder_layers = 1;
  CellKind cell = CellKind::gru;
  ScoreKind score = ScoreKind::additive;
  Tying tying = Tying::all;
  DecoderStart decoder_start = DecoderStart::bos;
  bool source_end = true;  // sources end in </s>
  bool output_bias = false;
  real output_cap = 0;       // above 0: a logit z becomes cap tanh(z / cap)
  real dropout = real(0.1);  // of the embeddings, between layers and of the readout

  bool operator==(const RecurrentOptions&) const = default;
};

// The decoder-only model (nn/models/language_model.h). Pre-norm by default, as in GPT-2 and later
// models.
struct LanguageModelOptions {
  LayerOptions layer = {.norm_placement = NormPlacement::pre};
  int64_t vocabulary = 0;
  int64_t layers = 6;
  bool tied = true;  // the output projection is the embedding table
  bool output_bias = false;
  real output_cap = 0;  // above 0: a logit z becomes cap tanh(z / cap)

  bool operator==(const LanguageModelOptions&) const = default;
};

// The encoder-only model (nn/models/encoder.h). Its layers are not masked.
struct EncoderOptions {
  LayerOptions layer;
  int64_t vocabulary = 0;
  int64_t layers = 6;
  int64_t segment_kinds = 0;  // 2: each of the two texts of a pair has its own embedding

  bool operator==(const EncoderOptions&) const = default;
};

// Returns the options. Throws an Error that names the invalid setting and the fix.
const LayerOptions& validate(const LayerOptions& options);
const TransformerOptions& validate(const TransformerOptions& options);
const RecurrentOptions& validate(const RecurrentOptions& options);
const LanguageModelOptions& validate(const LanguageModelOptions& options);
const EncoderOptions& validate(const EncoderOptions& options);

// The names of the choices in configurations and messages.
inline constexpr Named<PositionKind> position_kinds[] = {{"interleaved", PositionKind::interleaved},
                                                         {"halves", PositionKind::halves},
                                                         {"t2t", PositionKind::t2t},
                                                         {"fairseq", PositionKind::fairseq},
                                                         {"learned", PositionKind::learned},
                                                         {"rotary", PositionKind::rotary},
                                                         {"plane", PositionKind::plane},
                                                         {"none", PositionKind::none}};
inline constexpr Named<NormPlacement> norm_placements[] = {
    {"post", NormPlacement::post}, {"pre", NormPlacement::pre}, {"both", NormPlacement::both}};
inline constexpr Named<NormKind> norm_kinds[] = {
    {"layer", NormKind::layer}, {"rms", NormKind::rms}, {"rms-centered", NormKind::rms_centered}};
inline constexpr Named<BiasedLayers> biased_layers[] = {{"all", BiasedLayers::all},
                                                        {"attention", BiasedLayers::attention},
                                                        {"qkv", BiasedLayers::qkv},
                                                        {"none", BiasedLayers::none}};
inline constexpr Named<AdapterKind> adapter_kinds[] = {{"none", AdapterKind::none},
                                                       {"lora", AdapterKind::lora}};
inline constexpr Named<CellKind> cell_kinds[] = {{"gru", CellKind::gru}, {"lstm", CellKind::lstm}};
inline constexpr Named<ScoreKind> score_kinds[] = {{"none", ScoreKind::none},
                                                   {"additive", ScoreKind::additive},
                                                   {"dot", ScoreKind::dot},
                                                   {"general", ScoreKind::general}};
inline constexpr Named<DecoderStart> decoder_starts[] = {{"bos", DecoderStart::bos},
                                                         {"zero", DecoderStart::zero}};
inline constexpr Named<Pooling> poolings[] = {{"cls", Pooling::cls}, {"mean", Pooling::mean}};
inline constexpr Named<Tying> tyings[] = {
    {"all", Tying::all}, {"target", Tying::target}, {"none", Tying::none}};

}  // namespace calque
