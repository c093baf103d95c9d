#include "nn/models/recurrent_translator.h"

#include "core/error.h"

namespace calque {
namespace {

std::vector<BidirectionalLayer> make_encoder(const Path& at, const RecurrentOptions& options) {
  std::vector<BidirectionalLayer> layers;
  for (int64_t i = 0; i < options.encoder_layers; ++i) {
    const int64_t in = i == 0 ? options.d_model : 2 * options.hidden;
    layers.emplace_back(at / "layers" / i, options.cell, in, options.hidden);
  }
  return layers;
}

}  // namespace

RecurrentTranslator::RecurrentTranslator(const Path& at, const RecurrentOptions& options_)
    : options(validate(options_)),
      source_embedding(make_source_embedding(at, options, options.d_model)),
      target_embedding(make_target_embedding(at, options, source_embedding)),
      encoder(make_encoder(at / "encoder", options)),
      decoder(at / "decoder", options),
      output(at / "output", target_embedding, options.tying != Tying::none, options.output_bias,
             options.output_cap) {}

Tensor RecurrentTranslator::encode(std::span<const int32_t> ids, const Segments& segments,
                                   Mode mode, AttentionRecord*) const {
  check_ids("RecurrentTranslator", "source", ids, segments);
  const real dropped = dropout_in(mode, options.dropout);
  Tensor x = source_embedding(ids);
  for (const BidirectionalLayer& layer : encoder) x = layer(dropout(x, dropped), segments);
  return x;
}

Tensor RecurrentTranslator::decode(std::span<const int32_t> ids, const Segments& segments,
                                   const Tensor& memory, const Segments& memory_segments, Mode mode,
                                   AttentionRecord* record) const {
  check_ids("RecurrentTranslator", "target", ids, segments);
  require(segments.count() == memory_segments.count(),
          "RecurrentTranslator: {} target sentences for {} source sentences", segments.count(),
          memory_segments.count());
  const real dropped = dropout_in(mode, options.dropout);
  const TimeOrder order(segments);
  std::vector<int32_t> read;
  const std::vector<int32_t> known = decoder_reads(options.decoder_start, ids, segments);
  for (const int32_t token : order.tokens) read.push_back(known[token]);
  const Tensor embedded = dropout(target_embedding(read), dropped);
  const Tensor hidden = decoder(embedded, order, decoder.remember(memory, memory_segments), record);
  return gather_rows(dropout(hidden, dropped), order.places);
}

}  // namespace calque
