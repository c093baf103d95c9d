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
  const PairBatch batch = make_pair_batch(pairs, model.source_end());
  const Translator teacher = run_.model();
  const auto taught = [&] {
    const NoGradient constant;
    return hidden_of(teacher, make_pair_batch(pairs, teacher.source_end()), Mode::evaluate);
  };
  return summed(model.output().distilled_loss(hidden_of(model, batch, Mode::train),
                                              teacher.output(), taught(), batch.expected,
                                              static_cast<real>(label_smoothing), share_));
}

}  // namespace calque
