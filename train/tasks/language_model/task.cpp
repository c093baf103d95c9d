// task: language-model. A decoder-only Transformer on plain text.
#include "train/tasks/text/task.h"

#include "train/tasks/descriptor.h"
#include "train/tasks/language_model/evaluation.h"
#include "train/tasks/language_model/samples.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/loss_metrics.h"

namespace calque {

extern const TaskDescriptor language_model_task;

namespace {

class LanguageModelTask : public TextTask<LanguageModel> {
 public:
  LanguageModelTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : TextTask(config, run, start, language_model_options) {}

  std::span<const MetricInfo> metrics() const override { return language_model_task.metrics(); }

 private:
  ExampleTraining examples() const override {
    return {.set = text_examples(data_, window_options(config_, WindowUse::training)),
            .forward = [this](std::span<const Example> windows) {
              return window_loss(network_.model, windows, config_.training.label_smoothing,
                                 Mode::train, config_.training.r_drop);
            }};
  }

  Scores scores(BatchShare share) const override {
    const TextEvaluation evaluation =
        evaluate_text(network_.model, *validation_, window_options(config_, WindowUse::evaluation),
                      config_.training.label_smoothing, tokens_at_once(config_), share);
    if (!share.is_rank_zero()) return {evaluation.values(), {}};
    return {evaluation.values(), sample_continuations(network_.model, tokenizer_, *validation_,
                                                      config_, config_.logging.samples)};
  }
};

std::unique_ptr<Task> make_language_model(const Config& config, const RunFolder& run,
                                          const TaskStart& start) {
  if (start.purpose != TaskStart::Purpose::use) {
    for (const DocumentSource& source :
         document_sources(config.data.validation, config.data, CorpusConfig::Split::validation)) {
      require_files(source);
    }
  }
  return std::make_unique<LanguageModelTask>(config, run, start);
}

std::span<const MetricInfo> language_model_metrics() {
  static const std::vector<MetricInfo> all = [] {
    std::vector<MetricInfo> metrics = loss_metrics("token");
    metrics.push_back({"bits_per_character", "bits_per_character", "bits/char",
                       "Bits per character", "",
                       "The nll in bits per character of the text, comparable between tokenizers.",
                       ValueFormat::number, 3, Better::lower, false, true});
    metrics.push_back({"bits_per_byte", "bits_per_byte", "bits/byte", "Bits per byte", "",
                       "The nll in bits per byte of the text.", ValueFormat::number, 3,
                       Better::lower});
    return metrics;
  }();
  return all;
}

}  // namespace

const TaskDescriptor language_model_task = {
    .kind = TaskKind::language_model,
    .make = make_language_model,
    .metrics = language_model_metrics,
};

}  // namespace calque
