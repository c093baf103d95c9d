// task: classification. An encoder is trained to name the class of a text or of a pair of texts.
#include <fmt/format.h>

#include "data/files/content_hash.h"
#include "train/config/schema.h"
#include "train/tasks/classes/weights.h"
#include "train/tasks/classification/evaluation.h"
#include "train/tasks/classification/run.h"
#include "train/tasks/classification/tokenizer.h"
#include "train/tasks/classification/work.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/example_works.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/pretrained_embeddings.h"
#include "train/tasks/run_tokenizers.h"
#include "train/tasks/sentence_embeddings.h"
#include "train/tasks/shared_validation.h"

namespace calque {

extern const TaskDescriptor classification_task;

namespace {

using Purpose = TaskStart::Purpose;

std::vector<LabelledCorpus> training_corpora(const Config& config, const TaskStart& start) {
  if (start.purpose == Purpose::use) return {};
  return read_labelled_corpora(config.data.train, Split::train, config.data.invalid_utf8);
}

// A resumed run writes its labels only if its data is that of the checkpoint.
bool writes_labels(const TaskStart& start, const std::string& data_hash) {
  return start.purpose == Purpose::begin ||
         (start.purpose == Purpose::resume && start.data_hash == data_hash);
}

class ClassificationTask : public Task {
 public:
  ClassificationTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : ClassificationTask(config, run, start, training_corpora(config, start)) {}

  Parameters& parameters() override { return network_.parameters; }
  std::vector<SideFile> side_files() const override { return {labels_file}; }
  std::span<const MetricInfo> metrics() const override { return class_metrics(); }
  std::string tokenizer_hash() const override { return hash_of({tokenizer_}); }
  std::string data_hash() const override { return hexadecimal(data_.hash); }

  std::string measured_by(const MetricInfo&, const Config& config) const override {
    return write_value(config.data.validation);
  }

  std::string data_description() const override {
    return fmt::format("{} examples of {} classes, {} tokens, {} lines skipped, vocabulary {}",
                       data_.examples.size(), labels_.size(), data_.tokens, data_.skipped,
                       tokenizer_.size());
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

  std::vector<std::string> load_pretrained() override {
    if (config_.model.embeddings == EmbeddingConfig()) return {};
    return load_embeddings(config_, tokenizer_, data_.count_ids(tokenizer_.size()),
                           network_.parameters);
  }

  bool validates() const override { return !validation_.examples.empty(); }

  std::optional<Scores> validate(Communicator& ranks, const std::function<bool()>& stop) override {
    return shared_validation(ranks, stop, [&](const BatchShare& share) -> Scores {
      const ClassificationResult result =
          evaluate_classifier(network_.model, validation_, config_.training.label_smoothing, share);
      return {result.values(),
              share.is_rank_zero() ? samples(result) : std::vector<Sample>(),
              {confusion_table(result.confusion, labels_)}};
    });
  }

 private:
  ClassificationTask(const Config& config, const RunFolder& run, const TaskStart& start,
                     const std::vector<LabelledCorpus>& corpora)
      : config_(config),
        tokenizer_(open_classification_tokenizer(config_, run, start, corpora)),
        labels_(start.purpose == Purpose::use ? load_labels(run) : labels_of(corpora)),
        network_(classifier_options(config_, tokenizer_.size(), std::ssize(labels_))) {
    freeze_embeddings(config_, network_.parameters);
    if (start.purpose == Purpose::use) return;
    data_ = encode_corpora(corpora, labels_, tokenizer_, config_.data.context);
    class_weights_ = class_weights(config_.training.class_weights, labels_, data_.counts);
    validation_corpora_ = read_labelled_corpora(config_.data.validation, Split::validation,
                                                config_.data.invalid_utf8);
    validation_ = encode_corpora(validation_corpora_, labels_, tokenizer_, config_.data.context);
    if (writes_labels(start, hexadecimal(data_.hash))) save_labels(labels_, run);
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

std::vector<Contradiction> classification_contradictions(const Config& config) {
  std::vector<Contradiction> all;
  if (config.data.context < 4) {
    all.push_back({"data.context", "an example of task: classification needs at least 4 tokens"});
  }
  const std::vector<std::string>& weights = config.training.class_weights;
  if (!weights.empty() && config.training.r_drop > 0) {
    all.push_back({"training.class_weights", "cannot be combined with r_drop; set one of them"});
  }
  if (const std::string problem = class_weights_problem(weights); !problem.empty()) {
    all.push_back({"training.class_weights", problem});
  }
  if (config.training.batch_tokens > 0 && config.training.batch_tokens < config.data.context) {
    all.push_back({"training.batch_tokens",
                   fmt::format("{} is less than data.context {}, the longest example",
                               config.training.batch_tokens, config.data.context)});
  }
  return all;
}

SentenceEncoder open_classification_encoder(const std::string& place) {
  return sentence_encoder(open_classification_run(place),
                          [](const auto& run, const std::string& text) {
                            return encode_texts({text}, run.tokenizer, run.config.data.context);
                          });
}

}  // namespace

const TaskDescriptor classification_task = {
    .kind = TaskKind::classification,
    .make = make_task_of<ClassificationTask>,
    .metrics = class_metrics,
    .contradictions = classification_contradictions,
    .open_encoder = open_classification_encoder,
};

}  // namespace calque
