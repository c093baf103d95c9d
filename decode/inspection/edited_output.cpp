#include "decode/inspection/edited_output.h"

#include <cmath>
#include <memory>

#include "core/error.h"
#include "core/tape.h"

namespace calque {
namespace {

real norm_of(std::span<const real> vector) {
  double squares = 0;
  for (const real number : vector) squares += double{number} * double{number};
  return static_cast<real>(std::sqrt(squares));
}

// log p of every token after the text: [1, vocabulary].
Tensor next_logs(const LanguageModel& model, std::span<const int32_t> ids, const Edits& edits) {
  const Tensor last = residual_states(model, ids, edits).back();
  return read_out(model, ends_of(last, equal_texts(1, std::ssize(ids))));
}

class EditedDecoder final : public StepDecoder {
 public:
  EditedDecoder(const LanguageModel& model, const std::vector<int32_t>& prompt, const Edits& edits)
      : model_(model), edits_(edits), read_(prompt.begin(), prompt.end() - 1) {}

  Tensor step(const DecodingStep& step) override {
    require(step.ids.size() == 1, "edited_model: {} hypotheses; it decodes one", step.ids.size());
    const NoGradient nothing_recorded;
    read_.push_back(step.ids.front());
    return next_logs(model_, read_, edits_);
  }

 private:
  const LanguageModel& model_;
  const Edits& edits_;
  std::vector<int32_t> read_;
};

}  // namespace

Tensor direction_of(const LanguageModel& model, std::span<const int32_t> tokens, real length) {
  require(!tokens.empty(), "direction_of: no tokens");
  const NoGradient nothing_recorded;
  const Tensor mean = sum_of_rows(embedding(model.output.weight, tokens, 1));
  const real now = norm_of(mean.span());
  return mean * (now > 0 ? length / now : real(0));
}

real length_of_last(const Tensor& state) { return norm_of(row_of(state, state.rows() - 1)); }

std::vector<ChangedToken> compare_next(const LanguageModel& model, std::span<const int32_t> prompt,
                                       const Edits& edits) {
  const NoGradient nothing_recorded;
  const Tensor before = next_logs(model, prompt, {}), after = next_logs(model, prompt, edits);
  return changed_tokens(row_of(before, 0), row_of(after, 0));
}

DecodingModel edited_model(const LanguageModel& model, const std::vector<int32_t>& prompt,
                           const Edits& edits) {
  DecodingModel decoding;
  decoding.start = [&](std::span<const size_t>) {
    return std::make_unique<EditedDecoder>(model, prompt, edits);
  };
  decoding.vocabulary = model.options.vocabulary;
  if (model.options.layer.positions == PositionKind::learned) {
    decoding.positions = {model.options.layer.max_positions - std::ssize(prompt) + 1};
  }
  return decoding;
}

}  // namespace calque
