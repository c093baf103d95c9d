#include "train/tasks/classification/classification_task.h"

#include <fmt/format.h>

#include <filesystem>

#include "data/content_hash.h"
#include "train/config/schema.h"
#include "train/tasks/classification/classification_evaluation.h"
#include "train/tasks/classification/classification_run.h"
#include "train/tasks/classification/classification_work.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/example_works.h"
#include "train/tasks/interruptible.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/run_tokenizers.h"

namespace calque {
namespace {

using Purpose = TaskStart::Purpose;

std::vector<LabelledCorpus> training_corpora(const Config& config, const TaskStart& start) {
  if (start.purpose == Purpose::use) return {};
  return read_labelled_corpora(config.data.train, Split::train);
}

// Those of the training data, which a run keeps for its use.
Labels run_labels(const std::vector<LabelledCorpus>& corpora, const RunFolder& run,
                  const TaskStart& start) {
  if (start.purpose == Purpose::use) return load_labels(run);
  const Labels labels = labels_of(corpora);
  if (start.purpose != Purpose::plan) save_labels(labels, run);
  return labels;
}

// The mean weight of an example is 1.
std::vector<real> balanced_weights(const ClassificationData& data) {
  std::vector<real> weights;
  for (const int64_t count : data.counts) {
    weights.push_back(static_cast<real>(static_cast<double>(data.examples.size()) /
                                        static_cast<double>(std::ssize(data.counts) * count)));
  }
  return weights;
}

class ClassificationTask : public Task {
 public:
  ClassificationTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : ClassificationTask(config, run, start, training_corpora(config, start)) {}

  Parameters& parameters() override { return network_.parameters; }
  std::span<const MetricInfo> metrics() const override { return classification_metrics(); }
  std::string tokenizer_hash() const override { return hash_of({tokenizer_}); }
  std::string data_hash() const override { return hexadecimal(data_.hash); }

  std::string measured_by(const MetricInfo&, const Config& config) const override {
    return write_value(config.data.validation);
  }

  std::string data_description() const override {
    return fmt::format("{} examples of {} classes, {} tokens, vocabulary {}", data_.examples.size(),
                       labels_.size(), data_.tokens, tokenizer_.size());
  }

  std::unique_ptr<WorkStream> training(StreamPosition from) override {
    const ExampleSet examples = data_.set();
    const MakeWork make = [this](const ExampleBatch& batch) -> std::unique_ptr<Work> {
      PackedTexts packed;
      for (const Example& e : batch.examples) packed.append(e[0], e[1], e[2].front());
      return std::make_unique<ClassificationWork>(network_.model, config_.training, class_weights_,
                                                  data_, std::move(packed), batch.numbers);
    };
    return std::make_unique<ExampleWorks>(examples, examples.costs, batch_options(config_.training),
                                          from, make);
  }

  bool validates() const override { return !validation_.examples.empty(); }

  std::optional<Scores> validate(const std::function<bool()>& stop) override {
    return interruptible(stop, [&](const std::function<void()>& between) -> Scores {
      const ClassificationResult result = evaluate_classifier(
          network_.model, validation_, config_.training.label_smoothing, between);
      return {result.values(), samples(result)};
    });
  }

 private:
  ClassificationTask(const Config& config, const RunFolder& run, const TaskStart& start,
                     const std::vector<LabelledCorpus>& corpora)
      : config_(config),
        tokenizer_(open_classification_tokenizer(config_, run, start, corpora)),
        labels_(run_labels(corpora, run, start)),
        network_(classifier_options(config_, tokenizer_.size(), std::ssize(labels_))) {
    if (start.purpose == Purpose::use) return;
    validation_corpora_ = read_labelled_corpora(config_.data.validation, Split::validation);
    validation_ = encode_corpora(validation_corpora_, labels_, tokenizer_, config_.data.context);
    data_ = encode_corpora(corpora, labels_, tokenizer_, config_.data.context);
    if (config_.training.class_weights) class_weights_ = balanced_weights(data_);
  }

  std::vector<Sample> samples(const ClassificationResult& result) const {
    std::vector<Sample> shown;
    size_t number = 0;
    for (const LabelledCorpus& corpus : validation_corpora_) {
      for (const LabelledText& row : corpus.rows) {
        if (std::ssize(shown) == config_.logging.samples) return shown;
        std::string text = row.texts.front();
        if (row.texts.size() > 1) text += " | " + row.texts.back();
        shown.push_back({text, row.label, labels_[static_cast<size_t>(result.predicted[number])]});
        ++number;
      }
    }
    return shown;
  }

  const Config config_;
  const Tokenizer tokenizer_;
  const Labels labels_;
  TaskModel<Classifier> network_;
  std::vector<LabelledCorpus> validation_corpora_;
  ClassificationData validation_, data_;
  std::vector<real> class_weights_;
};

}  // namespace

std::unique_ptr<Task> make_classification_task(const Config& config, const RunFolder& run,
                                               const TaskStart& start) {
  return std::make_unique<ClassificationTask>(config, run, start);
}

std::span<const MetricInfo> classification_metrics() {
  static const std::vector<MetricInfo> all = [] {
    std::vector<MetricInfo> metrics = loss_metrics("class");
    metrics.push_back({"macro_f1", "macro_f1", "F1", "Macro F1", "",
                       "The mean of the F1 of each class, so that rare classes count as much as "
                       "frequent ones.",
                       ValueFormat::percent, 1, Better::higher});
    return metrics;
  }();
  return all;
}

std::vector<Contradiction> classification_contradictions(const Config& config) {
  std::vector<Contradiction> all;
  if (config.data.drop_duplicates) {
    all.push_back({"data.drop_duplicates", "task: classification keeps all examples"});
  }
  if (config.data.context < 4) {
    all.push_back({"data.context", "an example of task: classification needs 4 tokens at least"});
  }
  if (config.training.class_weights && config.training.r_drop > 0) {
    all.push_back({"training.class_weights", "has no effect with r_drop; set one of them"});
  }
  if (config.training.batch_tokens > 0 && config.training.batch_tokens < config.data.context) {
    all.push_back({"training.batch_tokens",
                   fmt::format("{} is less than data.context {}, the longest example",
                               config.training.batch_tokens, config.data.context)});
  }
  return all;
}

}  // namespace calque
