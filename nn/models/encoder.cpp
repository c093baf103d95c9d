#include "nn/models/encoder.h"

namespace calque {

EncoderBody::EncoderBody(const Path& at, const LayerOptions& options, int64_t layers)
    : positions(at / "positions", options),
      embedding_norm(options.norm_placement == NormPlacement::post
                         ? std::optional<Norm>(std::in_place, at / "embedding_norm", options)
                         : std::nullopt),
      stack(at, options, layers, Mask::none),
      dropout(options.dropout) {}

Tensor EncoderBody::operator()(const Tensor& embedded, const Segments& segments, Mode mode,
                               AttentionRecord* record) const {
  Tensor x = positions(embedded, segments);
  if (embedding_norm) x = (*embedding_norm)(x);
  return stack(calque::dropout(x, dropout_in(mode, dropout)), segments, mode, record);
}

Encoder::Encoder(const Path& at, const EncoderOptions& options_)
    : options(validate(options_)),
      embedding(at / "embedding", options.vocabulary, options.layer.d_model,
                options.layer.scale_embeddings),
      segment_table(options.segment_kinds == 0
                        ? Tensor()
                        : (at / "segments")
                              .parameter("weight", {options.segment_kinds, options.layer.d_model},
                                         Role::position, embedding_normal(options.layer.d_model))),
      body(at, options.layer, options.layers) {}

Tensor Encoder::operator()(std::span<const int32_t> ids, std::span<const int32_t> kinds,
                           const Segments& segments, Mode mode, AttentionRecord* record) const {
  check_ids("Encoder", "input", ids, segments);
  Tensor x = embedding(ids);
  if (segment_table) {
    check_ids("Encoder", "kinds", kinds, segments);
    x = x + calque::embedding(segment_table, kinds);
  }
  return body(x, segments, mode, record);
}

MaskedHead::MaskedHead(const Path& at, const Encoder& encoder, bool tied, bool transform)
    : dense(transform
                ? std::optional<Linear>(std::in_place, at / "dense", encoder.options.layer.d_model,
                                        encoder.options.layer.d_model)
                : std::nullopt),
      norm(transform ? std::optional<Norm>(std::in_place, at / "norm", encoder.options.layer)
                     : std::nullopt),
      output(at / "output", encoder.embedding, tied, true) {}

Tensor MaskedHead::transformed(const Tensor& hidden) const {
  return dense ? (*norm)((*dense)(hidden, Activation::gelu)) : hidden;
}

MaskedLm::MaskedLm(const Path& at, const MaskedLmOptions& options_)
    : options(options_),
      encoder(at, options.encoder),
      head(at / "masked", encoder, options.tied, options.transform) {}

Tensor MaskedLm::logits(std::span<const int32_t> ids, const Segments& segments,
                        std::span<const int32_t> rows, Mode mode) const {
  const Tensor hidden = encoder(ids, {}, segments, mode);
  return head.output(head.transformed(gather_rows(hidden, rows)));
}

TokenLoss MaskedLm::loss(std::span<const int32_t> ids, const Segments& segments,
                         std::span<const int32_t> rows, std::span<const int32_t> expected,
                         real label_smoothing, Mode mode, real agreement) const {
  const auto pass = [&] {
    return head.transformed(gather_rows(encoder(ids, {}, segments, mode), rows));
  };
  return head.output.loss(pass, expected, label_smoothing, agreement);
}

}  // namespace calque
