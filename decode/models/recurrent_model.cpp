// Search and sampling with a recurrent model: the state of each hypothesis replaces the key-value
// cache. The decoder's memory of the sources is computed once.

#include "decode/models/parts.h"
#include "decode/models/step_output.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

class StateDecoder final : public StepDecoder {
 public:
  StateDecoder(const RecurrentTranslator& model, const std::vector<Ids>& sources,
               std::span<const size_t> items)
      : model_(model), output_(std::in_place, model.output) {
    const NoGradient nothing_recorded;
    Segments segments;
    const Ids ids = packed_sources(sources, items, model.options.source_end, segments);
    memory_ = model.decoder.remember(model.encode(ids, segments, Mode::evaluate), segments);
  }

  Tensor step(const DecodingStep& step) override {
    const NoGradient nothing_recorded;
    const RecurrentDecoder& decoder = model_.decoder;
    const Tensor before =
        state_ ? gather_rows(state_, step.parents) : gather_rows(memory_.state, step.items);
    std::vector<KeyRows> sources;
    for (const int32_t item : step.items) sources.push_back(memory_.sentences[item]);
    const bool from_zeros = !state_ && model_.options.decoder_start == DecoderStart::zero;
    const Tensor embedded = model_.target_embedding(
        from_zeros ? std::vector<int32_t>(step.ids.size(), no_token) : step.ids);
    const auto [state, context] = decoder.step(decoder.input(embedded), before, memory_, sources);
    state_ = state;
    return (*output_)(decoder.read_out(decoder.cell.hidden_of(state), context, embedded));
  }

  bool limit_outputs(std::span<const int32_t> outputs, int64_t rows) override {
    output_.emplace(model_.output, outputs, rows);
    return true;
  }

 private:
  const RecurrentTranslator& model_;
  RecurrentMemory memory_;
  Tensor state_;  // of the rows of the last step
  std::optional<StepOutput> output_;
};

}  // namespace

DecodingModel recurrent_translation_model(const RecurrentTranslator& model,
                                          const std::vector<Ids>& sources) {
  DecodingModel decoding;
  decoding.start = [&](std::span<const size_t> items) {
    return std::make_unique<StateDecoder>(model, sources, items);
  };
  decoding.vocabulary = model.options.target_vocabulary;
  const RecurrentDecoder& decoder = model.decoder;
  for (const Tensor* weight : {&decoder.query, &decoder.context_weight, &decoder.cell.weight,
                               &decoder.input.weight, &decoder.readout.weight}) {
    if (*weight) decoding.right_sides.push_back(right_side(*weight));
  }
  decoding.output_right_sides.push_back(right_side(model.output));
  return decoding;
}

}  // namespace calque
