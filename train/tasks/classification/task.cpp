// task: classification. An encoder is trained to name the class of a text or of a pair of texts.
#include "train/tasks/classes/task.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "train/tasks/classification/evaluation.h"
#include "train/tasks/classification/run.h"
#include "train/tasks/classification/tokenizer.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/sentence_embeddings.h"

namespace calque {

extern const TaskDescriptor classification_task;

namespace {

using Purpose = TaskStart::Purpose;

std::vector<LabelledCorpus> training_corpora(const Config& config, const TaskStart& start) {
  if (start.purpose == Purpose::use) return {};
  return read_labelled_corpora(config.data.train, Split::train, config.data.invalid_utf8);
}

class ClassificationTask : public ClassesTask<Classifier, ClassificationData> {
 public:
  ClassificationTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : ClassificationTask(config, run, start, training_corpora(config, start)) {}

  std::vector<SideFile> side_files() const override { return {labels_file}; }
  std::string tokenizer_hash() const override { return hash_of({tokenizer_}); }

  std::string data_description() const override {
    return fmt::format("{} examples of {} classes, {} tokens, {} lines skipped, vocabulary {}",
                       data_.count(), labels_.size(), data_.tokens, data_.skipped,
                       tokenizer_.size());
  }

  std::vector<std::string> load_pretrained() override {
    if (config_.model.embeddings == EmbeddingConfig()) return {};
    return load_embeddings(config_, tokenizer_, data_.count_ids(tokenizer_.size()),
                           network_.parameters);
  }

 private:
  ClassificationTask(const Config& config, const RunFolder& run, const TaskStart& start,
                     const std::vector<LabelledCorpus>& corpora)
      : ClassificationTask(config, run, start, corpora,
                           open_classification_tokenizer(config, run, start, corpora),
                           start.purpose == Purpose::use ? load_labels(run) : labels_of(corpora)) {}

  ClassificationTask(const Config& config, const RunFolder& run, const TaskStart& start,
                     const std::vector<LabelledCorpus>& corpora, const Tokenizer& tokenizer,
                     const Labels& labels)
      : ClassesTask(config, classifier_options(config, tokenizer.size(), std::ssize(labels)),
                    labels),
        tokenizer_(tokenizer) {
    if (start.purpose == Purpose::use) return;
    set_training_data(encode_corpora(corpora, labels_, tokenizer_, config_.data.context));
    validation_corpora_ = read_labelled_corpora(config_.data.validation, Split::validation,
                                                config_.data.invalid_utf8);
    validation_ = encode_corpora(validation_corpora_, labels_, tokenizer_, config_.data.context);
    if (writes_findings(start, data_hash())) save_labels(labels_, run);
  }

  ExampleTraining examples() const override {
    return {.set = data_.set(), .forward = [this](std::span<const Example> texts) {
              const PackedExamples packed = pack(texts);
              const auto pass = [&] {
                return network_.model.pooled(packed.columns[0], packed.columns[1], packed.segments,
                                             Mode::train);
              };
              return loss(pass, packed.columns[2]);
            }};
  }

  ClassificationResult evaluate(BatchShare share) const override {
    return evaluate_classifier(network_.model, validation_, config_.training.label_smoothing,
                               share);
  }

  std::string sample_text(int64_t example) const override {
    const size_t part = validation_.part_of(example);
    const LabelledText& row =
        validation_corpora_[part]
            .rows[static_cast<size_t>(example - validation_.parts[part].first)];
    return fmt::format("{}", fmt::join(row.texts, " | "));
  }

  const Tokenizer tokenizer_;
  std::vector<LabelledCorpus> validation_corpora_;
};

std::vector<Contradiction> classification_contradictions(const Config& config) {
  std::vector<Contradiction> all;
  if (config.data.context < 4) {
    all.push_back({"data.context", "an example of task: classification needs at least 4 tokens"});
  }
  std::ranges::copy(class_weight_contradictions(config), std::back_inserter(all));
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
