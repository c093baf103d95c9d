#include "nn/models/translator.h"

namespace calque {
namespace {

template <class Model, class Variant>
const Model* model_of(const Variant& variant) {
  const auto* const found = std::get_if<const Model*>(&variant);
  return found ? *found : nullptr;
}

}  // namespace

const Transformer* Translator::transformer() const { return model_of<Transformer>(model_); }

const RecurrentTranslator* Translator::recurrent() const {
  return model_of<RecurrentTranslator>(model_);
}

Tensor Translator::encode(std::span<const int32_t> ids, const Segments& segments, Mode mode,
                          AttentionRecord* record) const {
  return std::visit([&](const auto* model) { return model->encode(ids, segments, mode, record); },
                    model_);
}

Tensor Translator::decode(std::span<const int32_t> ids, const Segments& segments,
                          const Tensor& memory, const Segments& memory_segments, Mode mode,
                          AttentionRecord* record) const {
  return std::visit(
      [&](const auto* model) {
        return model->decode(ids, segments, memory, memory_segments, mode, record);
      },
      model_);
}

TokenLoss Translator::loss(std::span<const int32_t> source, const Segments& source_segments,
                           std::span<const int32_t> decoder_input,
                           std::span<const int32_t> expected, const Segments& target_segments,
                           real label_smoothing, Mode mode, real agreement) const {
  check_ids("Translator", "expected", expected, target_segments);
  const auto pass = [&] {
    const Tensor memory = encode(source, source_segments, mode);
    return decode(decoder_input, target_segments, memory, source_segments, mode);
  };
  return output().loss(pass, expected, label_smoothing, agreement);
}

const OutputProjection& Translator::output() const {
  return std::visit([](const auto* model) -> const OutputProjection& { return model->output; },
                    model_);
}

bool Translator::source_end() const {
  return std::visit([](const auto* model) { return model->options.source_end; }, model_);
}

int64_t Translator::learned_positions() const {
  if (recurrent()) return 0;
  const LayerOptions& options = transformer()->options.layer;
  return options.positions == PositionKind::learned ? options.max_positions : 0;
}

}  // namespace calque
