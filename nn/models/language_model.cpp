#include "nn/models/language_model.h"

#include <cmath>
#include <vector>

#include "core/error.h"

namespace calque {
namespace {

LayerOptions depth_scaled(const LanguageModelOptions& options) {
  LayerOptions layer = options.layer;
  layer.residual_initial_scale *=
      static_cast<real>(1 / std::sqrt(2 * static_cast<double>(options.layers)));
  return layer;
}

}  // namespace

LanguageModel::LanguageModel(const Path& at, const LanguageModelOptions& options_)
    : options(validate(options_)),
      embedding(at / "embedding", options.vocabulary, options.layer.d_model,
                options.layer.scale_embeddings),
      positions(at / "positions", options.layer),
      stack(at, depth_scaled(options), options.layers, Mask::causal),
      output(at / "output", embedding, options.tied, options.output_bias) {}

Tensor LanguageModel::hidden(std::span<const int32_t> ids, const Segments& segments, Mode mode,
                             AttentionRecord* record, std::span<const int32_t> starts) const {
  check_ids("LanguageModel", "input", ids, segments);
  const Tensor embedded = positions(embedding(ids), segments, starts);
  return stack(dropout(embedded, dropout_in(mode, options.layer.dropout)), segments, mode, record);
}

TokenLoss LanguageModel::loss(std::span<const int32_t> ids, std::span<const int32_t> expected,
                              const Segments& segments, real label_smoothing, Mode mode,
                              real agreement) const {
  check_ids("LanguageModel", "expected", expected, segments);
  std::vector<int32_t> rows, known;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == no_token) continue;
    rows.push_back(static_cast<int32_t>(i));
    known.push_back(expected[i]);
  }
  const auto pass = [&] {
    const Tensor all = hidden(ids, segments, mode);
    return known.size() == expected.size() ? all : gather_rows(all, rows);
  };
  return output.loss(pass, known, label_smoothing, agreement);
}

}  // namespace calque
