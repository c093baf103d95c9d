#pragma once
// The options of every model. Names are the paper's ("Attention Is All You Need", 2017) and the
// defaults are its base model; only the vocabularies must be given. A model's options hold the
// LayerOptions that its modules share, and what only the whole model needs.

#include <cstdint>

#include "core/named.h"
#include "core/real.h"

namespace calque {

// Where a token's position enters (nn/positions.h has the formulas).
enum class PositionKind { interleaved, halves, t2t, learned, rotary, none };
// post: norm(x + sublayer(x)), as in the paper; pre: x + sublayer(norm(x)), and one norm at the
// end.
enum class NormPlacement { post, pre };
enum class NormKind { layer, rms };
enum class FeedForwardKind { relu, gelu, silu, swiglu };
// Which embeddings are one table: source, target and output; target and output; or none.
enum class Tying { all, target, none };

// What the modules below a whole model are built from: one layer's sizes and choices.
struct LayerOptions {
  int64_t d_model = 512;  // numbers in the vector of a token
  int64_t d_ff = 2048;    // numbers inside the feed-forward network
  int64_t heads = 8;      // of attention, d_model / heads numbers each

  PositionKind positions = PositionKind::interleaved;
  int64_t max_positions = 1024;  // rows of the table of learned positions; no limit for the others
  NormPlacement norm_placement = NormPlacement::post;
  NormKind norm = NormKind::layer;
  real norm_epsilon = real(1e-5);
  FeedForwardKind feed_forward = FeedForwardKind::relu;
  // Factor of the first values of the weights that write to the residual stream.
  real residual_initial_scale = 1;

  real dropout = real(0.1);     // of each sublayer's output and of the embeddings (section 5.4)
  real attention_dropout = 0;   // of the attention weights
  real activation_dropout = 0;  // inside the feed-forward network

  int64_t head_size() const { return d_model / heads; }
  bool operator==(const LayerOptions&) const = default;
};

// The encoder-decoder model (nn/transformer.h).
struct TransformerOptions {
  LayerOptions layer;
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  int64_t encoder_layers = 6;
  int64_t decoder_layers = 6;
  Tying tying = Tying::all;
  bool output_bias = false;

  bool operator==(const TransformerOptions&) const = default;
};

// The decoder-only model (nn/language_model.h). Pre-norm by default, as GPT-2 and later models.
struct LanguageModelOptions {
  LayerOptions layer = {.norm_placement = NormPlacement::pre};
  int64_t vocabulary = 0;
  int64_t layers = 6;
  bool tied = true;  // the output projection is the embedding table
  bool output_bias = false;

  bool operator==(const LanguageModelOptions&) const = default;
};

// Throws an Error that names the wrong setting and says how to fix it.
void validate(const LayerOptions& options);
void validate(const TransformerOptions& options);
void validate(const LanguageModelOptions& options);

// The names of the choices.
inline constexpr Named<PositionKind> position_kinds[] = {{"interleaved", PositionKind::interleaved},
                                                         {"halves", PositionKind::halves},
                                                         {"t2t", PositionKind::t2t},
                                                         {"learned", PositionKind::learned},
                                                         {"rotary", PositionKind::rotary},
                                                         {"none", PositionKind::none}};
inline constexpr Named<NormPlacement> norm_placements[] = {{"post", NormPlacement::post},
                                                           {"pre", NormPlacement::pre}};
inline constexpr Named<NormKind> norm_kinds[] = {{"layer", NormKind::layer},
                                                 {"rms", NormKind::rms}};
inline constexpr Named<FeedForwardKind> feed_forward_kinds[] = {
    {"relu", FeedForwardKind::relu},
    {"gelu", FeedForwardKind::gelu},
    {"silu", FeedForwardKind::silu},
    {"swiglu", FeedForwardKind::swiglu}};
inline constexpr Named<Tying> tyings[] = {
    {"all", Tying::all}, {"target", Tying::target}, {"none", Tying::none}};

}  // namespace calque
