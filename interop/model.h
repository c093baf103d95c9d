#pragma once
// A trained model as an export reads it and as an import makes it. Both have the parts of a run; an
// Exported model has its parameters, an Imported one a function that fills them.

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/parameters.h"
#include "data/images/preparation.h"
#include "data/tokenizers/tokenizer.h"
#include "nn/models/classification_head.h"
#include "nn/models/encoder.h"
#include "nn/models/language_model.h"
#include "nn/models/transformer.h"
#include "nn/models/vision.h"
#include "train/config/config.h"

namespace calque {

// The largest sizes that an import accepts: the width of a layer, the vocabulary, positions.
inline constexpr int64_t most_units = 65536;
inline constexpr int64_t most_tokens = 1 << 24;
inline constexpr int64_t most_positions = 1 << 24;

// What a run has beside its parameters.
struct RunParts {
  Config config = {};
  std::vector<Tokenizer> tokenizers = {};  // of source and target, or the only one
  std::vector<std::string> labels = {};    // of a classifier, sorted
  ImagePreparation preparation = {};       // of images

  const Tokenizer& source() const { return tokenizers.front(); }
  const Tokenizer& target() const { return tokenizers.back(); }
  // Whether source and target have the same tokens with the same ids.
  bool same_vocabulary() const;
  // Sets the tokenizers, and the settings that follow from them.
  void use(std::vector<Tokenizer> own);
};

template <class Model>
struct Exported : RunParts {
  const Model& model;

  Exported(RunParts parts, const Model& own) : RunParts(std::move(parts)), model(own) {}
};

template <class Model>
struct Imported : RunParts {
  // Requires the model of the config and the tokenizers, with memory for its parameters. Throws an
  // Error if tensors are missing, of another shape, or left over.
  std::function<void(const Model&)> fill;
  // How the run stores its weights (core/products/compact/matrix.h).
  Precision form = Precision::full;

  explicit Imported(Config own) : RunParts{std::move(own)} {}
};

// The models that engines have. A format of bare Parameters holds every other model as well.
template <template <class> class Of, class... More>
using OfAnyModel = std::variant<Of<Transformer>, Of<LanguageModel>, Of<MaskedLm>, Of<Classifier>,
                                Of<VisionTransformer>, More...>;
using AnyExported = OfAnyModel<Exported, Exported<Parameters>>;
using AnyImported = OfAnyModel<Imported>;

// The published model that a language model is an instance of:
//   gpt2      a table of positions, LayerNorm
//   gpt_neox  rotary positions, LayerNorm
//   llama     rotary positions, RMSNorm, SwiGLU; of Llama 1 to 3, SmolLM and TinyLlama
//   mistral   llama whose attention has a window
//   qwen2     llama with biases of queries, keys and values alone
//   qwen3     llama with norms of queries and keys
//   gemma3    rotary positions, RMSNorm before and after each sublayer, GEGLU
enum class LanguageModelShape { gpt2, gpt_neox, llama, mistral, qwen2, qwen3, gemma3 };
LanguageModelShape shape_of(const LayerOptions& options);
// Llama and its relatives.
inline bool is_llama_like(LanguageModelShape shape) { return shape >= LanguageModelShape::llama; }
inline constexpr Named<LanguageModelShape> language_model_shapes[] = {
    {"gpt2", LanguageModelShape::gpt2},    {"gpt_neox", LanguageModelShape::gpt_neox},
    {"llama", LanguageModelShape::llama},  {"mistral", LanguageModelShape::mistral},
    {"qwen2", LanguageModelShape::qwen2},  {"qwen3", LanguageModelShape::qwen3},
    {"gemma3", LanguageModelShape::gemma3}};

// The parameter of a norm as the distance of the gain from 1 (`centered`), or as the gain.
Tensor gain_of(const Gain& gain, bool centered);

// The feed-forward network of a layer that is not a mixture of experts.
inline const FeedForward& dense(const TokenNetwork& network) {
  return std::get<FeedForward>(network.network);
}

// Engines scale only Gemma's embeddings; otherwise this factor becomes part of the table.
inline real table_factor(const LanguageModel& model) {
  const bool scales = shape_of(model.options.layer) == LanguageModelShape::gemma3;
  return scales ? 1 : model.embedding.factor;
}

// Whether embeddings and output are one table in other engines.
inline bool one_table(const LanguageModel& model) {
  return model.options.tied && table_factor(model) == 1;
}

// The size of a head if all share d_model equally; 0 if they cannot.
inline int64_t equal_share(const LayerOptions& options) {
  return options.d_model % options.heads == 0 ? options.d_model / options.heads : 0;
}
// Sets kv_heads and head_width from the sizes that an engine lists.
inline void set_heads(LayerOptions& to, int64_t kv_heads, int64_t head_size) {
  to.kv_heads = kv_heads == to.heads ? 0 : kv_heads;
  to.head_width = head_size == equal_share(to) ? 0 : head_size;
}

}  // namespace calque
