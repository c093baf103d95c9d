#include "nn/models/language_model.h"

#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/tape.h"

namespace calque {
namespace {

LayerOptions depth_scaled(const LanguageModelOptions& options) {
  LayerOptions layer = options.layer;
  layer.residual_initial_scale *=
      static_cast<real>(1 / std::sqrt(2 * static_cast<double>(options.layers)));
  return layer;
}

// The rows whose next token is predicted, these tokens, and their number in each text.
struct Predictions {
  std::vector<int32_t> rows, expected;
  Segments segments;

  Tensor rows_of(const Tensor& hidden) const {
    return std::ssize(rows) == hidden.rows() ? hidden : gather_rows(hidden, rows);
  }
};

Predictions predictions(std::span<const int32_t> expected, const Segments& segments) {
  Predictions found;
  for (int64_t text = 0; text < segments.count(); ++text) {
    const size_t before = found.rows.size();
    for (int32_t i = segments.begin(text); i < segments.end(text); ++i) {
      if (expected[i] == no_token) continue;
      found.rows.push_back(i);
      found.expected.push_back(expected[i]);
    }
    found.segments.append(static_cast<int32_t>(found.rows.size() - before));
  }
  return found;
}

}  // namespace

LanguageModel::LanguageModel(const Path& at, const LanguageModelOptions& options_)
    : options(validate(options_)),
      embedding(at / "embedding", options.vocabulary, options.layer.d_model,
                options.layer.scale_embeddings),
      positions(at / "positions", options.layer),
      stack(at, depth_scaled(options), options.layers, Mask::causal),
      output(at / "output", embedding, options.tied, options.output_bias, options.output_cap) {}

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
  const Predictions predicted = predictions(expected, segments);
  const auto pass = [&] { return predicted.rows_of(hidden(ids, segments, mode)); };
  return output.loss(pass, predicted.expected, label_smoothing, agreement);
}

TokenLoss LanguageModel::distilled_loss(const LanguageModel& teacher, std::span<const int32_t> ids,
                                        std::span<const int32_t> expected, const Segments& segments,
                                        real label_smoothing, real share, Mode mode) const {
  check_ids("LanguageModel", "expected", expected, segments);
  const Predictions predicted = predictions(expected, segments);
  const auto taught = [&] {
    const NoGradient constant;
    return predicted.rows_of(teacher.hidden(ids, segments, Mode::evaluate));
  };
  return output.distilled_loss(predicted.rows_of(hidden(ids, segments, mode)), teacher.output,
                               taught(), predicted.expected, label_smoothing, share);
}

Tensor LanguageModel::log_probabilities(std::span<const int32_t> ids,
                                        std::span<const int32_t> expected, const Segments& segments,
                                        Mode mode) const {
  check_ids("LanguageModel", "expected", expected, segments);
  const Predictions predicted = predictions(expected, segments);
  const Tensor logs =
      projected_log_probabilities(predicted.rows_of(hidden(ids, segments, mode)), output.weight,
                                  output.bias, predicted.expected, output.cap);
  const Tensor counts({predicted.segments.count(), 1});
  for (int64_t i = 0; i < counts.rows(); ++i) {
    counts.data()[i] = static_cast<real>(predicted.segments.length(i));
  }
  return mean_of_segments(logs, predicted.segments) * counts;
}

}  // namespace calque
