// task: masked-lm. An encoder is trained to predict masked tokens of plain text (BERT).
#include "train/tasks/text/task.h"

#include <algorithm>

#include "data/tokenizers/vocabulary.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/masked_lm/evaluation.h"
#include "train/tasks/masked_lm/filling.h"
#include "train/tasks/masked_lm/run.h"
#include "train/tasks/masked_lm/windows.h"
#include "train/tasks/sentence_embeddings.h"

namespace calque {

extern const TaskDescriptor masked_lm_task;

namespace {

class MaskedLmTask : public TextTask<MaskedLm> {
 public:
  MaskedLmTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : TextTask(config, run, start, masked_lm_options) {}

  std::span<const MetricInfo> metrics() const override { return masked_lm_task.metrics(); }

 private:
  ExampleTraining examples() const override {
    return {.set = window_examples(std::make_shared<const MaskedWindows>(
                data_, config_, WindowUse::training, masking_of(config_, tokenizer_))),
            .forward = [this](std::span<const Example> windows) {
              return masked_loss(network_.model, windows, config_.training.label_smoothing,
                                 Mode::train, config_.training.r_drop);
            }};
  }

  Scores scores(BatchShare share) const override {
    const MaskedEvaluation found =
        evaluate_masked(network_.model, *validation_, config_, tokenizer_, share);
    if (!share.is_rank_zero()) return {found.values(), {}};
    return {found.values(), masked_samples(network_.model, *validation_, config_, tokenizer_,
                                           config_.logging.samples)};
  }
};

std::span<const MetricInfo> masked_lm_metrics() {
  static const std::vector<MetricInfo> all = [] {
    std::vector<MetricInfo> metrics = loss_metrics("masked token");
    metrics.push_back({"mask_accuracy", "mask_accuracy", "at [MASK]", "Accuracy at [MASK]", "",
                       "The accuracy on the chosen tokens that [MASK] replaces. Chosen tokens "
                       "that a random token replaces, or that stay, are not counted.",
                       ValueFormat::percent, 1, Better::higher});
    return metrics;
  }();
  return all;
}

std::vector<Contradiction> masked_lm_contradictions(const Config& config) {
  std::vector<Contradiction> all;
  if (config.data.context < 3) {
    all.push_back({"data.context", "task: masked-lm needs at least 3 tokens: <s>, a token, </s>"});
  }
  if (config.data.whole_words && config.tokenizer.kind == TokenizerKind::bytes) {
    all.push_back({"data.whole_words", "tokenizer.kind: bytes has no word boundaries"});
  }
  return all;
}

SentenceEncoder open_masked_lm_encoder(const RunPlace& place) {
  return sentence_encoder(open_masked_lm_run(place));
}

}  // namespace

SentenceEncoder sentence_encoder(const MaskedLmRun& run) {
  return sentence_encoder({run.network, &run.model().encoder},
                          run.model().encoder.options.vocabulary, run.config.data.context,
                          [tokenizer = run.tokenizer](const std::string& text) {
                            const std::vector<int32_t> ids = encode_masked_text(tokenizer, text);
                            return std::vector<int32_t>(ids.begin() + 1, ids.end() - 1);
                          });
}

const TaskDescriptor masked_lm_task = {
    .kind = TaskKind::masked_lm,
    .make = make_task_of<MaskedLmTask>,
    .metrics = masked_lm_metrics,
    .contradictions = masked_lm_contradictions,
    .open_encoder = open_masked_lm_encoder,
};

}  // namespace calque
