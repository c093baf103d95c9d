#include "train/tasks/translation/word_distillation.h"

#include "core/error.h"
#include "core/tape.h"
#include "data/batches/pair_batch.h"

namespace calque {
namespace {

Tensor hidden_of(Translator model, const PairBatch& batch, Mode mode) {
  const Tensor memory = model.encode(batch.source, batch.source_segments, mode);
  return model.decode(batch.decoder_input, batch.target_segments, memory, batch.source_segments,
                      mode);
}

// [tokens, vocabulary]
Tensor log_probabilities_of(Translator model, std::span<const Example> pairs) {
  const NoGradient constant;
  const PairBatch batch = make_pair_batch(pairs, model.source_end());
  return log_softmax(model.output()(hidden_of(model, batch, Mode::evaluate)));
}

}  // namespace

WordTeacher::WordTeacher(const Config& config, const Tokenizers& tokenizers)
    : share_(static_cast<real>(config.training.teacher_share)) {
  const std::string& path = config.training.teacher;
  try {
    run_ = open_translation_run({path}, std::nullopt);
  } catch (const Error& error) {
    fail("training.teacher: {}", error.what());
  }
  if (run_.tokenizers.hash() != tokenizers.hash()) {
    fail("training.teacher: {} has another vocabulary; set tokenizer.files to its tokenizers",
         path);
  }
}

SummedLoss WordTeacher::loss(Translator model, std::span<const Example> pairs,
                             double label_smoothing) const {
  const Tensor taught = log_probabilities_of(run_.model(), pairs);
  const PairBatch batch = make_pair_batch(pairs, model.source_end());
  const Tensor hidden = hidden_of(model, batch, Mode::train);
  const OutputProjection& output = model.output();
  TokenLoss loss = projected_cross_entropy(hidden, output.weight, output.bias, batch.expected,
                                           static_cast<real>(label_smoothing), output.cap);
  const Tensor divergence = sum(exp(taught) * (taught - log_softmax(output(hidden))));
  loss.loss = loss.loss * (1 - share_) + divergence * share_;
  return summed(loss);
}

}  // namespace calque
