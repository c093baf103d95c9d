// task: classification. An encoder is trained to name the class of a text or of a pair of texts.
#include "train/tasks/classes/task.h"

#include <fmt/ranges.h>

#include "train/tasks/classes/text_task.h"
#include "train/tasks/classification/evaluation.h"
#include "train/tasks/classification/run.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/sentence_embeddings.h"

namespace calque {

extern const TaskDescriptor classification_task;

namespace {

class ClassificationTask : public TextClassesTask<LabelledCorpus, ClassificationData> {
 public:
  using TextClassesTask::TextClassesTask;

  std::string data_description() const override {
    return fmt::format("{} examples of {} classes, {} tokens, {} lines skipped, vocabulary {}",
                       data_.count(), labels_.size(), data_.tokens, data_.skipped,
                       tokenizer_.size());
  }

 private:
  Tensor vectors(std::span<const Example> texts, Mode mode) const override {
    return text_vectors(network_.model, texts, mode);
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
};

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
    .contradictions = text_classifier_contradictions,
    .open_encoder = open_classification_encoder,
};

}  // namespace calque
