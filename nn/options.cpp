#include "nn/options.h"

#include "core/error.h"

namespace calque {
namespace {

void check_size(std::string_view name, int64_t size) {
  if (size <= 0) fail("{} is {}; it must be at least 1", name, size);
}

void check_probability(std::string_view name, real probability) {
  if (!(probability >= 0 && probability < 1)) {
    fail("{} is {}; it must be at least 0 and less than 1", name, probability);
  }
}

void check_not_negative(std::string_view name, const auto& number) {
  if (!(number >= 0)) fail("{} is {}; it must be at least 0", name, number);
}

void check_rotation(const LayerOptions& options) {
  const Rotation& rotation = options.rotation;
  const RotationScaling& scaling = rotation.scaling;
  const int64_t size = options.head_size();
  if (size % 2 != 0) {
    fail("a head has {} numbers, but rotary positions rotate pairs; make it even", size);
  }
  if (!(rotation.part > 0 && rotation.part <= 1) || rotation.rotated(size) < 2) {
    fail("rotation.part is {}; it must be above 0, at most 1, and at least a pair of {} numbers",
         rotation.part, size);
  }
  if (!(rotation.base > 1)) fail("rotation.base is {}; it must be above 1", rotation.base);
  if (!(scaling.factor > 0)) fail("rotation.factor is {}; it must be above 0", scaling.factor);
  if (!(scaling.low > 0 && scaling.high > scaling.low)) {
    fail("rotation.low is {} and high {}; low must be above 0, and high above low", scaling.low,
         scaling.high);
  }
  check_size("rotation.original", scaling.original);
}

void check_positions(const LayerOptions& options) {
  if (is_sinusoidal(options.positions) && options.d_model % 2 != 0) {
    fail("d_model is {}, but sinusoidal positions ({}) are pairs of sine and cosine; make it even",
         options.d_model, name_of(position_kinds, options.positions));
  }
  if (options.positions == PositionKind::plane && options.d_model % 4 != 0) {
    fail(
        "d_model is {}, but plane positions are two halves of sines and cosines; use a multiple of "
        "4",
        options.d_model);
  }
  if (options.positions == PositionKind::rotary) check_rotation(options);
}

void check_heads(const LayerOptions& options) {
  check_not_negative("head_width", options.head_width);
  check_not_negative("kv_heads", options.kv_heads);
  check_not_negative("attention_scale", options.attention_scale);
  check_not_negative("attention_cap", options.attention_cap);
  if (options.head_width == 0 && options.d_model % options.heads != 0) {
    fail("d_model is {}, which {} heads cannot share equally; make it a multiple of heads",
         options.d_model, options.heads);
  }
  if (options.heads % options.key_heads() != 0) {
    fail("{} heads cannot share {} heads of keys and values equally; kv_heads must divide heads",
         options.heads, options.kv_heads);
  }
}

void check_experts(const ExpertOptions& experts) {
  if (experts.count == 0) return;
  check_size("experts.count", experts.count);
  if (experts.active < 1 || experts.active > experts.count) {
    fail("experts.active is {}; it must be 1 to {}, the number of experts", experts.active,
         experts.count);
  }
  check_not_negative("experts.capacity", experts.capacity);
  check_not_negative("experts.balance", experts.balance);
  check_not_negative("experts.z_loss", experts.z_loss);
}

void check_adapter(const AdapterOptions& adapter) {
  if (!adapter) return;
  check_size("adapter.rank", adapter.rank);
  check_probability("adapter.dropout", adapter.dropout);
  if (!(adapter.alpha > 0)) fail("adapter.alpha is {}; it must be above 0", adapter.alpha);
}

void check_attention(const Sparsity& sparsity) {
  check_size("attention.dilation", sparsity.dilation);
  check_size("attention.block", sparsity.block);
  check_not_negative("attention.window", sparsity.window);
  check_not_negative("attention.dilated_from", sparsity.dilated_from);
  check_not_negative("attention.global", sparsity.global);
  check_not_negative("attention.random", sparsity.random);
  check_not_negative("attention.seed", sparsity.seed);
}

// Checks the vocabularies of a translator.
template <class Options>
void check_vocabularies(const Options& options) {
  check_size("source_vocabulary", options.source_vocabulary);
  check_size("target_vocabulary", options.target_vocabulary);
  if (options.tying == Tying::all && options.source_vocabulary != options.target_vocabulary) {
    fail(
        "the source vocabulary has {} tokens and the target vocabulary {}, so they cannot share "
        "one embedding table; use one joint vocabulary, or tie the target side only",
        options.source_vocabulary, options.target_vocabulary);
  }
}

}  // namespace

bool is_sinusoidal(PositionKind kind) {
  return kind == PositionKind::interleaved || kind == PositionKind::halves ||
         kind == PositionKind::t2t || kind == PositionKind::fairseq;
}

const LayerOptions& validate(const LayerOptions& options) {
  check_size("d_model", options.d_model);
  check_size("d_ff", options.d_ff);
  check_size("heads", options.heads);
  check_size("max_positions", options.max_positions);
  check_heads(options);
  check_positions(options);
  check_experts(options.experts);
  check_adapter(options.adapter);
  check_attention(options.attention);
  check_probability("dropout", options.dropout);
  check_probability("attention_dropout", options.attention_dropout);
  check_probability("activation_dropout", options.activation_dropout);
  check_not_negative("residual_initial_scale", options.residual_initial_scale);
  if (!(options.norm_epsilon > 0 && options.norm_epsilon < 1)) {
    fail("norm_epsilon is {}; it must be a small number above 0, such as 1e-5",
         options.norm_epsilon);
  }
  return options;
}

const TransformerOptions& validate(const TransformerOptions& options) {
  check_vocabularies(options);
  check_size("encoder_layers", options.encoder_layers);
  check_size("decoder_layers", options.decoder_layers);
  check_not_negative("output_cap", options.output_cap);
  validate(options.layer);
  return options;
}

const RecurrentOptions& validate(const RecurrentOptions& options) {
  check_vocabularies(options);
  check_size("d_model", options.d_model);
  check_size("hidden", options.hidden);
  check_size("encoder_layers", options.encoder_layers);
  check_not_negative("output_cap", options.output_cap);
  check_probability("dropout", options.dropout);
  return options;
}

const LanguageModelOptions& validate(const LanguageModelOptions& options) {
  check_size("vocabulary", options.vocabulary);
  check_size("layers", options.layers);
  check_not_negative("output_cap", options.output_cap);
  validate(options.layer);
  return options;
}

const EncoderOptions& validate(const EncoderOptions& options) {
  check_size("vocabulary", options.vocabulary);
  check_size("layers", options.layers);
  validate(options.layer);
  return options;
}

}  // namespace calque
