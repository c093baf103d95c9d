// task: language-model. A decoder-only Transformer on plain text.
#include "data/files/content_hash.h"
#include "train/config/schema.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/example_works.h"
#include "train/tasks/language_model/evaluation.h"
#include "train/tasks/language_model/samples.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/language_model/work.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/pretrained_embeddings.h"
#include "train/tasks/shared_validation.h"
#include "train/tasks/task_data.h"
#include "train/tasks/task_model.h"
#include "train/tasks/text/texts.h"
#include "train/tasks/text/tokenizer.h"

namespace calque {

extern const TaskDescriptor language_model_task;

namespace {

class LanguageModelTask : public Task {
 public:
  LanguageModelTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : config_(config),
        tokenizer_(open_text_tokenizer(config_, run, start)),
        network_(language_model_options(config_, tokenizer_.size())) {
    freeze_embeddings(config_, network_.parameters);
    if (start.purpose == TaskStart::Purpose::use) return;
    const std::string cache = cache_folder(config_, run, start);
    if (!config_.data.validation.empty()) {
      validation_ = load_texts(config_.data, config_.data.validation,
                               CorpusConfig::Split::validation, tokenizer_, cache);
    }
    data_ = load_training_texts(config_.data, tokenizer_, cache);
  }

  Parameters& parameters() override { return network_.parameters; }
  std::span<const MetricInfo> metrics() const override { return language_model_task.metrics(); }
  std::string tokenizer_hash() const override { return hash_of({tokenizer_}); }
  std::string data_hash() const override { return hexadecimal(data_.hash); }

  std::string measured_by(const MetricInfo&, const Config& config) const override {
    return write_value(config.data.validation);
  }

  std::string data_description() const override {
    return calque::data_description(data_, tokenizer_.size());
  }

  std::unique_ptr<WorkStream> training(StreamPosition from) override {
    const auto windows =
        std::make_shared<const TextWindows>(data_, window_options(config_, WindowUse::training));
    const ExampleSet examples = windows->examples();
    const MakeWork make = [this, windows](const ExampleBatch& batch) -> std::unique_ptr<Work> {
      PackedWindows packed;
      for (const Example& window : batch.examples) packed.append(window[0], window[1]);
      return std::make_unique<LanguageModelWork>(
          network_.model, config_.training, std::move(packed),
          std::vector<int64_t>(batch.numbers.begin(), batch.numbers.end()), windows);
    };
    return std::make_unique<ExampleWorks>(examples, examples.costs, batch_options(config_.training),
                                          from, make);
  }

  std::vector<std::string> load_pretrained() override {
    return load_embeddings(config_, tokenizer_, data_, network_.parameters);
  }

  bool validates() const override { return validation_.has_value(); }

  std::optional<Scores> validate(Communicator& ranks, const std::function<bool()>& stop) override {
    return shared_validation(ranks, stop, [&](const BatchShare& share) -> Scores {
      const TextEvaluation evaluation = evaluate_text(
          network_.model, *validation_, window_options(config_, WindowUse::evaluation),
          config_.training.label_smoothing, tokens_at_once(config_), share);
      return {evaluation.values(),
              share.is_rank_zero() ? sample_continuations(network_.model, tokenizer_, *validation_,
                                                          config_, config_.logging.samples)
                                   : std::vector<Sample>()};
    });
  }

 private:
  const Config config_;
  const Tokenizer tokenizer_;
  TaskModel<LanguageModel> network_;
  std::optional<Dataset> validation_;
  Dataset data_;
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
