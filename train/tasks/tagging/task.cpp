// task: tagging. An encoder is trained to name the class of each word of a sentence.

#include <fmt/ranges.h>

#include "core/error.h"
#include "train/tasks/classes/text_task.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/tagging/evaluation.h"

namespace calque {

extern const TaskDescriptor tagging_task;

namespace {

std::span<const MetricInfo> tagging_metrics() {
  static const std::vector<MetricInfo> all = [] {
    std::vector<MetricInfo> metrics = metrics_of_classes("word");
    const auto add = [&](const char* name, const char* title, const char* meaning) {
      metrics.push_back(
          {name, name, "", title, "", meaning, ValueFormat::percent, 1, Better::higher});
    };
    add("f1", "F1 of spans",
        "The harmonic mean of precision and recall. A span, such as a name, is right if its type "
        "and both its borders are.");
    add("precision", "Precision of spans", "How many of the predicted spans are right.");
    add("recall", "Recall of spans", "How many of the expected spans are predicted.");
    return metrics;
  }();
  return all;
}

class TaggingTask : public TextClassesTask<TaggedCorpus, TaggingData> {
 public:
  TaggingTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : TextClassesTask(config, run, start) {
    const std::string& metric = config.training.metric;
    const bool of_spans = metric == "f1" || metric == "precision" || metric == "recall";
    if (!of_spans || mark_spans(labels_)) return;
    fail("training.metric: {} needs tags that mark spans, such as B-PER and O, not {}", metric,
         fmt::join(labels_, ", "));
  }

  std::span<const MetricInfo> metrics() const override { return tagging_metrics(); }

  std::string data_description() const override {
    return fmt::format("{}, {} tags, vocabulary {}", data_.summary(), labels_.size(),
                       tokenizer_.size());
  }

 private:
  Tensor vectors(std::span<const Example> windows, Mode mode) const override {
    return word_vectors(network_.model, windows, mode);
  }

  ClassificationResult evaluate(BatchShare share) const override {
    return evaluate_tagger(network_.model, validation_, labels_, config_.training.label_smoothing,
                           std::move(share));
  }

  std::vector<Sample> samples(const std::vector<int32_t>& predicted) const override {
    const auto right = validation_.sentences(validation_.labels, labels_),
               found = validation_.sentences(predicted, labels_);
    std::vector<Sample> shown;
    for (const std::string& words : texts_of(validation_corpora_)) {
      const size_t i = shown.size();
      if (std::cmp_equal(i, config_.logging.samples)) break;
      shown.push_back({words, fmt::format("{}", fmt::join(right[i], " ")),
                       fmt::format("{}", fmt::join(found[i], " "))});
    }
    return shown;
  }
};

}  // namespace

const TaskDescriptor tagging_task = {.kind = TaskKind::tagging,
                                     .make = make_task_of<TaggingTask>,
                                     .metrics = tagging_metrics,
                                     .contradictions = text_classifier_contradictions};

}  // namespace calque
