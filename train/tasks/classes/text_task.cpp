#include "train/tasks/classes/text_task.h"

#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "data/tokenizers/vocabulary.h"
#include "train/tasks/classes/task.h"
#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/run_tokenizers.h"

namespace calque {
namespace {

using Purpose = TaskStart::Purpose;
using LabelledCorpora = std::vector<LabelledCorpus>;

class TextClassesTask : public ClassesTask<Classifier, TextData> {
 public:
  TextClassesTask(const TextClasses& classes, const Config& config, const RunFolder& run,
                  const TaskStart& start)
      : TextClassesTask(classes, config, run, start,
                        start.purpose == Purpose::use
                            ? LabelledCorpora()
                            : read_corpora(classes, config.data, config.data.train, Split::train)) {
  }

  std::vector<SideFile> side_files() const override { return {labels_file}; }
  std::string tokenizer_hash() const override { return hash_of({tokenizer_}); }
  std::span<const MetricInfo> metrics() const override { return classes_.metrics(); }

  std::string data_description() const override {
    return fmt::format("{} of {} classes, {} tokens, {} {}s skipped, vocabulary {}",
                       data_.size_text(), labels_.size(), data_.texts.tokens, data_.skipped,
                       classes_.skipped, tokenizer_.size());
  }

  std::vector<std::string> load_pretrained() override {
    if (config_.model.embeddings == EmbeddingConfig()) return {};
    std::vector<int64_t> counts(static_cast<size_t>(tokenizer_.size()));
    for (const Example& example : data_.texts.examples) {
      for (const int32_t id : example[0]) ++counts[static_cast<size_t>(id)];
    }
    counts[begin_id] = counts[end_id] = 0;
    return load_embeddings(config_, tokenizer_, counts, network_.parameters);
  }

 private:
  TextClassesTask(const TextClasses& classes, const Config& config, const RunFolder& run,
                  const TaskStart& start, const LabelledCorpora& corpora)
      : TextClassesTask(
            classes, config, run, start, corpora,
            open_encoder_tokenizer(config, run, start,
                                   [&] { return whole_texts(classes, corpora); }),
            start.purpose == Purpose::use ? load_labels(run) : labels_of(classes, corpora)) {}

  TextClassesTask(const TextClasses& classes, const Config& config, const RunFolder& run,
                  const TaskStart& start, const LabelledCorpora& corpora,
                  const Tokenizer& tokenizer, const Labels& labels)
      : ClassesTask(config, classifier_options(config, tokenizer.size(), std::ssize(labels)),
                    labels),
        classes_(classes),
        tokenizer_(tokenizer) {
    if (classes.check != nullptr) classes.check(config, labels);
    if (start.purpose == Purpose::use) return;
    const auto encode = [&](const LabelledCorpora& read) {
      return encode_corpora(classes, read, labels_, tokenizer_, config_.data.context);
    };
    set_training_data(encode(corpora));
    validation_corpora_ =
        read_corpora(classes, config_.data, config_.data.validation, Split::validation);
    validation_ = encode(validation_corpora_);
    if (writes_findings(start, data_hash())) save_labels(labels_, run);
  }

  ExampleTraining examples() const override {
    return {.set = data_.set(), .forward = [this](std::span<const Example> batch) {
              return loss([&] { return classes_.vectors(network_.model, batch, Mode::train); },
                          pack(batch).columns[2]);
            }};
  }

  ClassificationResult evaluate(BatchShare share) const override {
    return evaluate_texts(network_.model, validation_, labels_, config_.training.label_smoothing,
                          std::move(share));
  }

  std::vector<Sample> samples(const std::vector<int32_t>& predicted) const override {
    const RowLabels found = validation_.names(predicted, labels_);
    std::vector<Sample> shown;
    for (const LabelledCorpus& corpus : validation_corpora_) {
      for (const auto& [texts, labels] : corpus.file.rows) {
        if (std::ssize(shown) >= config_.logging.samples) return shown;
        shown.push_back({fmt::format("{}", fmt::join(whole_texts(classes_, texts), " | ")),
                         fmt::format("{}", fmt::join(labels, " ")),
                         fmt::format("{}", fmt::join(found[shown.size()], " "))});
      }
    }
    return shown;
  }

  const TextClasses& classes_;
  const Tokenizer tokenizer_;
  LabelledCorpora validation_corpora_;
};

}  // namespace

std::unique_ptr<Task> make_text_task(const TextClasses& classes, const Config& config,
                                     const RunFolder& run, const TaskStart& start) {
  return std::make_unique<TextClassesTask>(classes, config, run, start);
}

}  // namespace calque
