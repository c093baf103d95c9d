#pragma once
// What an export reads: a trained model, its tokenizers and its config.

#include <algorithm>

#include "data/images/fit.h"
#include "data/tokenizers/tokenizer.h"
#include "nn/models/classification_head.h"
#include "nn/models/encoder.h"
#include "nn/models/language_model.h"
#include "nn/models/transformer.h"
#include "nn/models/vision.h"
#include "train/config/config.h"

namespace calque {

struct ExportedTranslator {
  const Config& config;
  const Transformer& model;
  const Tokenizer& source;
  const Tokenizer& target;

  // Whether both tokenizers have the same tokens with the same ids.
  bool same_vocabulary() const {
    if (source.hash() == target.hash()) return true;
    bool same = source.size() == target.size();
    for (int32_t id = 0; same && id < source.size(); ++id) {
      same = source.symbol(id) == target.symbol(id);
    }
    return same;
  }
};

struct ExportedLanguageModel {
  const Config& config;
  const LanguageModel& model;
  const Tokenizer& tokenizer;
};

struct ExportedMaskedLm {
  const Config& config;
  const MaskedLm& model;
  const Tokenizer& tokenizer;
};

struct ExportedClassifier {
  const Config& config;
  const Classifier& model;
  const Tokenizer& tokenizer;
  const std::vector<std::string>& labels;
};

struct ExportedImageModel {
  const Config& config;
  const VisionTransformer& model;
  const std::vector<std::string>& labels;
  const ImageFit& fit;
  const std::vector<double>& mean;       // [channels], subtracted from pixels between 0 and 1
  const std::vector<double>& deviation;  // [channels], divides the differences
};

// The published model that a language model is an instance of: Llama has rotary positions, RMSNorm
// and SwiGLU; GPT-NeoX rotary positions and LayerNorm; GPT-2 a table of positions and LayerNorm.
enum class LanguageModelShape { llama, gpt_neox, gpt2 };
inline LanguageModelShape shape_of(const LayerOptions& options) {
  if (options.positions != PositionKind::rotary) return LanguageModelShape::gpt2;
  return options.norm_kind == NormKind::rms ? LanguageModelShape::llama
                                            : LanguageModelShape::gpt_neox;
}

// The feed-forward network of a layer that is not a mixture of experts.
inline const FeedForward& dense(const TokenNetwork& network) {
  return std::get<FeedForward>(network.network);
}

// Whether embeddings and output are one table in an engine that does not scale embeddings.
inline bool one_table(const LanguageModel& model) {
  return model.options.tied && model.embedding.factor == 1;
}

// The number of rows of the position tables in exports of translators to transformers and ONNX.
inline int64_t exported_positions(const LayerOptions& layer) {
  return layer.positions == PositionKind::learned ? layer.max_positions
                                                  : std::max<int64_t>(layer.max_positions, 512);
}

// The position table that an engine adds to the embeddings: the learned table, `rows` rows of
// sinusoids, or zeros for a model without positions.
inline Tensor position_table(const Positions& positions, int64_t rows, int64_t d_model) {
  if (positions.kind == PositionKind::learned) return positions.table;
  if (!positions.table) return Tensor::zeros({rows, d_model});
  return sinusoids(positions.kind, rows, d_model);
}

}  // namespace calque
