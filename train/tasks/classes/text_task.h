#pragma once
// The base of the tasks whose model is a text encoder that names classes. It calls
// read_rows() for each corpus, labels_of(corpora), texts_of(corpora) for a tokenizer, and
// encode_corpora(corpora, labels, tokenizer, context). The examples of Data have three columns: the
// ids, what else the model needs, and the labels.

#include <string>
#include <utility>
#include <vector>

#include "data/tokenizers/vocabulary.h"
#include "train/tasks/classes/task.h"
#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/run_tokenizers.h"

namespace calque {

template <class Corpus, class Data>
class TextClassesTask : public ClassesTask<Classifier, Data> {
 public:
  using CorporaRead = std::vector<Corpus>;

  TextClassesTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : TextClassesTask(config, run, start,
                        start.purpose == TaskStart::Purpose::use
                            ? CorporaRead()
                            : read_corpora<Corpus>(config.data, config.data.train, Split::train)) {}

  std::vector<SideFile> side_files() const override { return {labels_file}; }
  std::string tokenizer_hash() const override { return hash_of({tokenizer_}); }

  std::vector<std::string> load_pretrained() override {
    if (config_.model.embeddings == EmbeddingConfig()) return {};
    std::vector<int64_t> counts(static_cast<size_t>(tokenizer_.size()));
    for (const auto& example : data_.examples) {
      for (const int32_t id : example.ids) ++counts[static_cast<size_t>(id)];
    }
    counts[begin_id] = counts[end_id] = 0;
    return load_embeddings(config_, tokenizer_, counts, network_.parameters);
  }

 protected:
  using Base = ClassesTask<Classifier, Data>;
  using Base::config_, Base::network_, Base::labels_, Base::data_, Base::validation_;

  // The vectors that are classified.
  virtual Tensor vectors(std::span<const Example> examples, Mode mode) const = 0;

  const Tokenizer tokenizer_;
  CorporaRead validation_corpora_;

 private:
  TextClassesTask(const Config& config, const RunFolder& run, const TaskStart& start,
                  const CorporaRead& corpora)
      : TextClassesTask(
            config, run, start, corpora,
            open_encoder_tokenizer(config, run, start, [&] { return texts_of(corpora); }),
            start.purpose == TaskStart::Purpose::use ? load_labels(run) : labels_of(corpora)) {}

  TextClassesTask(const Config& config, const RunFolder& run, const TaskStart& start,
                  const CorporaRead& corpora, const Tokenizer& tokenizer, const Labels& labels)
      : Base(config, classifier_options(config, tokenizer.size(), std::ssize(labels)), labels),
        tokenizer_(tokenizer) {
    if (start.purpose == TaskStart::Purpose::use) return;
    const auto encode = [&](const CorporaRead& read) {
      return encode_corpora(read, labels_, tokenizer_, config_.data.context);
    };
    this->set_training_data(encode(corpora));
    validation_corpora_ =
        read_corpora<Corpus>(config_.data, config_.data.validation, Split::validation);
    validation_ = encode(validation_corpora_);
    if (writes_findings(start, this->data_hash())) save_labels(labels_, run);
  }

  ExampleTraining examples() const override {
    return {.set = data_.set(), .forward = [this](std::span<const Example> batch) {
              return this->loss([&] { return vectors(batch, Mode::train); },
                                pack(batch).columns[2]);
            }};
  }
};

}  // namespace calque
