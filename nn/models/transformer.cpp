#include "nn/models/transformer.h"

#include "core/error.h"
#include "nn/models/translator.h"

namespace calque {
Transformer::Transformer(const Path& at, const TransformerOptions& options_)
    : options(validate(options_)),
      source_embedding(make_source_embedding(at, options, options.layer.d_model,
                                             options.layer.scale_embeddings)),
      source_positions(at / "source_positions", options.layer),
      target_embedding(make_target_embedding(at, options, source_embedding)),
      target_positions(at / "target_positions", options.layer),
      encoder(at / "encoder", options.layer, options.encoder_layers, Mask::none),
      decoder(at / "decoder", options.layer, options.decoder_layers),
      output(at / "output", target_embedding, options.tying != Tying::none, options.output_bias,
             options.output_cap) {}

Tensor Transformer::encode(std::span<const int32_t> ids, const Segments& segments, Mode mode,
                           AttentionRecord* record) const {
  check_ids("Transformer", "source", ids, segments);
  const Tensor embedded = source_positions(source_embedding(ids), segments);
  return encoder(dropout(embedded, dropout_in(mode, options.layer.dropout)), segments, mode,
                 record);
}

Tensor Transformer::embed_target(std::span<const int32_t> ids, const Segments& segments,
                                 std::span<const int32_t> starts) const {
  const Tensor x = target_embedding(decoder_reads(options.decoder_start, ids, segments, starts));
  return target_positions(x, segments, starts);
}

Tensor Transformer::decode(std::span<const int32_t> ids, const Segments& segments,
                           const Tensor& memory, const Segments& memory_segments, Mode mode,
                           AttentionRecord* record) const {
  check_ids("Transformer", "target", ids, segments);
  require(segments.count() == memory_segments.count(),
          "Transformer: {} target sentences for {} source sentences", segments.count(),
          memory_segments.count());
  const Tensor embedded = embed_target(ids, segments);
  return decoder(dropout(embedded, dropout_in(mode, options.layer.dropout)), segments, memory,
                 memory_segments, mode, record);
}

TokenLoss Transformer::loss(std::span<const int32_t> source, const Segments& source_segments,
                            std::span<const int32_t> decoder_input,
                            std::span<const int32_t> expected, const Segments& target_segments,
                            real label_smoothing, Mode mode, real agreement) const {
  return Translator(*this).loss(source, source_segments, decoder_input, expected, target_segments,
                                label_smoothing, mode, agreement);
}

}  // namespace calque
