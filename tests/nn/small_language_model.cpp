#include "nn/small_language_model.h"

#include <fmt/format.h>

#include "nn/small_model.h"

namespace calque {

LanguageModelOptions small_language_model_options() {
  LanguageModelOptions options;
  options.vocabulary = 11;
  options.layers = 2;
  options.layer.d_model = 8;
  options.layer.d_ff = 12;
  options.layer.heads = 2;
  options.layer.positions = PositionKind::learned;
  options.layer.max_positions = 16;
  options.layer.activation = Activation::gelu;
  options.layer.dropout = 0;
  return options;
}

std::vector<LanguageModelVariant> language_model_variants() {
  std::vector<LanguageModelVariant> list;
  for (const auto& placement : norm_placements) {
    for (const PositionKind positions :
         {PositionKind::learned, PositionKind::rotary, PositionKind::interleaved}) {
      for (const bool tied : {true, false}) {
        LanguageModelOptions options = small_language_model_options();
        options.layer.norm_placement = placement.choice;
        options.layer.positions = positions;
        options.tied = tied;
        options.output_bias = !tied;
        if (positions == PositionKind::rotary) {
          options.layer.activation = Activation::swiglu;
          options.layer.norm_kind = NormKind::rms;
        }
        list.push_back({fmt::format("{} {} {}", placement.name, name_of(position_kinds, positions),
                                    tied ? "tied" : "untied"),
                        options});
      }
    }
  }
  LanguageModelOptions options = small_language_model_options();
  options.layer.experts = {.count = 3, .active = 2, .width = 6};
  list.push_back({"experts", options});
  options.layer.experts = {.count = 2, .active = 1, .shared = true};
  list.push_back({"one active and a shared expert", options});
  options = small_language_model_options();
  options.layer.attention = {.window = 2, .global = 1, .random = 1, .block = 2};
  list.push_back({"sparse", options});
  options.layer.attention = {.window = 2, .dilation = 2, .dilated_from = 1};
  list.push_back({"dilated", options});
  options = small_language_model_options();
  options.layer.qk_norm = true;
  list.push_back({"qk norm", options});
  options = small_language_model_options();
  options.layer = {.d_model = 8,
                   .d_ff = 12,
                   .heads = 4,
                   .kv_heads = 2,
                   .head_width = 6,
                   .positions = PositionKind::rotary,
                   .max_positions = options.layer.max_positions,
                   .rotation = {.base = 100,
                                .part = 0.7,
                                .local_base = 20,
                                .scaling = {.kind = RotationScalingKind::llama3,
                                            .factor = 4,
                                            .low = 1,
                                            .high = 4,
                                            .original = 16}},
                   .norm_placement = NormPlacement::both,
                   .norm_kind = NormKind::rms_centered,
                   .activation = Activation::geglu_tanh,
                   .attention = {.window = 2, .full_every = 2},
                   .qk_norm = true,
                   .attention_scale = real(0.3),
                   .attention_cap = 2,
                   .biases = BiasedLayers::none,
                   .dropout = 0};
  list.push_back({"as in Gemma", options});
  options.layer.biases = BiasedLayers::qkv;
  options.layer.norm_kind = NormKind::rms;
  options.layer.norm_placement = NormPlacement::pre;
  options.layer.activation = Activation::swiglu;
  options.layer.qk_norm = false;
  options.layer.attention = {};
  list.push_back({"as in Qwen", options});
  options.output_cap = 1;
  list.push_back({"with capped logits", options});
  return list;
}

SmallLanguageModel::SmallLanguageModel(const LanguageModelOptions& options, uint64_t seed)
    : model(Path(parameters), options) {
  initialise_with_noise(parameters, seed);
}

TextBatch random_text(const LanguageModelOptions& options, const std::vector<int32_t>& lengths,
                      uint64_t seed) {
  Random random({.seed = seed});
  const auto draw = [&] {
    return static_cast<int32_t>(random.below(static_cast<uint64_t>(options.vocabulary)));
  };
  TextBatch batch{.ids = {}, .expected = {}, .segments = Segments::of_lengths(lengths)};
  for (int64_t t = 0; t < batch.segments.tokens(); ++t) {
    batch.ids.push_back(draw());
    batch.expected.push_back(draw());
  }
  return batch;
}

}  // namespace calque
