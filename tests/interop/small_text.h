#pragma once
// What the tests of imported language models share: small models and tokenizers.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "data/text/byte_glyphs.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/export_to.h"
#include "interop/model.h"
#include "interop/parameters/filling_walk.h"
#include "nn/models/language_model.h"

namespace calque {

inline const std::vector<std::string> texts = {"the cat sat on the mat", "the dog sat\ton the log",
                                               "Zwölf Boxkämpfer jagen Viktor", "это кошка",
                                               "cats  dogs"};

inline Tokenizer byte_pair_tokenizer() {
  Vocabulary vocabulary;
  for (const std::string& glyph : byte_glyphs()) vocabulary.add(glyph);
  const std::vector<BytePairModel::Merge> merges = {
      {"t", "h"}, {"th", "e"}, {"\u0120", "the"}, {"\u0120", "c"}, {"a", "t"}, {"\u0120c", "at"}};
  for (const auto& [left, right] : merges) vocabulary.add(left + right);
  return {BytePairModel(std::move(vocabulary), merges, {}, "test"),
          {.kind = TokenizerKind::byte_pairs, .nfkc = false}};
}

inline Tokenizer text_tokenizer(TokenizerKind kind, bool newline = false) {
  if (kind == TokenizerKind::bytes) return {ByteModel(), {.kind = kind}};
  if (kind == TokenizerKind::byte_pairs) return byte_pair_tokenizer();
  return train_tokenizer(texts, {.kind = kind},
                         {.vocabulary_size = is_sentence_piece(kind) ? 330 : 0,
                          .byte_fallback = is_sentence_piece(kind),
                          .newline = newline});
}

struct SmallText {
  Config config;
  Tokenizer tokenizer;
  Parameters parameters;
  LanguageModel model;

  static LanguageModelOptions options_of(const Config& config, const Tokenizer& tokenizer) {
    LanguageModelOptions options{.layer = config.model,
                                 .vocabulary = tokenizer.size(),
                                 .layers = config.model.layers,
                                 .tied = config.model.tied != Tying::none,
                                 .output_bias = config.model.output_bias,
                                 .output_cap = config.model.output_cap};
    options.layer.max_positions = config.data.context;
    return options;
  }
  SmallText(const Config& config_, Tokenizer tokenizer_)
      : config(config_),
        tokenizer(std::move(tokenizer_)),
        model(Path(parameters), options_of(config, tokenizer)) {
    parameters.allocate();
    parameters.initialise(5);
  }
  // Excludes symbols as an import does; without <s>, its embedding is that of </s>.
  void exclude(const std::vector<int32_t>& symbols) const {
    const Tensor& table = model.embedding.weight;
    for (const int32_t id : symbols) {
      model.output.bias.data()[id] = absent_logit;
      if (id == unknown_id) std::fill_n(table.data(), table.cols(), real(0));
      if (id == begin_id) {
        std::copy_n(table.data() + end_id * table.cols(), table.cols(),
                    table.data() + begin_id * table.cols());
      }
    }
  }
  // Of the tokens of a text, without a tape.
  Tensor logits(const std::string& text) const {
    std::vector<int32_t> ids = tokenizer.encode(text);
    ids.insert(ids.begin(), begin_id);
    const NoGradient none;
    const std::vector<int32_t> length = {static_cast<int32_t>(ids.size())};
    return model.logits(model.hidden(ids, Segments::of_lengths(length), {}));
  }
  RunParts parts() const { return {config, {tokenizer}}; }
  void write(const std::string& out) const { export_to("huggingface", parts(), model, out); }
};

// The options of the relatives of Llama, each with a different base of rotation.
inline void give_options_of(LanguageModelShape shape, ModelConfig& to) {
  to.kv_heads = 1;
  to.biases = BiasedLayers::none;
  to.rotation.base = 1000.0 * static_cast<double>(shape);
  switch (shape) {
    case LanguageModelShape::mistral:
      to.attention.window = 5;
      break;
    case LanguageModelShape::qwen2:
      to.biases = BiasedLayers::qkv;
      break;
    case LanguageModelShape::qwen3:
      to.qk_norm = true;
      to.head_width = 8;
      break;
    default:
      to.qk_norm = true;
      to.head_width = 8;
      to.norm_placement = NormPlacement::both;
      to.norm_kind = NormKind::rms_centered;
      to.activation = Activation::geglu_tanh;
      to.layers = 7;
      to.attention = {.window = 5, .full_every = 6};
      to.rotation.local_base = 10000;
  }
}

inline Config small_text_config(LanguageModelShape shape) {
  Config config;
  config.task = TaskKind::language_model;
  config.data.context = 16;
  static_cast<LayerOptions&>(config.model) = {
      .d_model = 12, .d_ff = 20, .heads = 2, .norm_placement = NormPlacement::pre};
  config.model.layers = 2;
  const bool gpt2 = shape == LanguageModelShape::gpt2;
  config.model.positions = gpt2 ? PositionKind::learned : PositionKind::rotary;
  config.model.activation = Activation::gelu;
  if (is_llama_like(shape)) {
    config.model.norm_kind = NormKind::rms;
    config.model.activation = Activation::swiglu;
  }
  if (shape > LanguageModelShape::llama) give_options_of(shape, config.model);
  return config;
}

}  // namespace calque
