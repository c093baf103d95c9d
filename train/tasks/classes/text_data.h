#pragma once
// The data of the tasks whose model is a text encoder that names classes: rows of labelled texts,
// as ids in memory.

#include <string>
#include <vector>

#include "data/corpora/labelled_text.h"
#include "data/tokenizers/tokenizer.h"
#include "nn/models/classification_head.h"
#include "train/tasks/classes/evaluation.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/example_works.h"

namespace calque {

// The names of the classes of each row.
using RowLabels = std::vector<std::vector<std::string>>;

// What such a task does in its own way.
struct TextClasses {
  TaskKind task;
  const char *row, *labelled, *skipped;  // their words for messages, such as "example"
  bool of_words;                         // a label for each text of a row, which is a word

  LabelledFile (*read)(const CorpusConfig& corpus, const DataConfig& data, Split split);
  // Examples of two columns: ids, and what else the model reads. With a label for each word, the
  // second column has a number for each word.
  std::vector<Example> (*encode)(const std::vector<std::string>& texts, const Tokenizer& tokenizer,
                                 int64_t context);
  // The vectors that are classified.
  Tensor (*vectors)(const Classifier& model, std::span<const Example> examples, Mode mode);
  std::span<const MetricInfo> (*metrics)();
  // Scores beside those of every class.
  ClassScores (*scores)(const RowLabels& expected, const RowLabels& predicted,
                        const Labels& labels) = nullptr;
  // Throws an Error if the config cannot be trained with these labels.
  void (*check)(const Config& config, const Labels& labels) = nullptr;
};

struct LabelledCorpus {
  std::string name;
  CorpusShare share;
  LabelledFile file;
};
// The corpora of a list, such as data.train.
std::vector<LabelledCorpus> read_corpora(const TextClasses& classes, const DataConfig& data,
                                         const Corpora& corpora, Split split);
// The whole texts of a row, which the tokenizer is trained on.
std::vector<std::string> whole_texts(const TextClasses& classes,
                                     const std::vector<std::string>& texts);
std::vector<std::string> whole_texts(const TextClasses& classes,
                                     const std::vector<LabelledCorpus>& corpora);
// Throws an Error for fewer than two classes.
Labels labels_of(const TextClasses& classes, const std::vector<LabelledCorpus>& corpora);

struct EncodedTexts {
  std::vector<Example> examples;
  std::vector<int64_t> first_labels = {0};  // [examples + 1] the first label of each example
  std::vector<int64_t> row_ends;            // [rows] the labels up to the end of each row
  int64_t tokens = 0;

  void add(const TextClasses& classes, const std::vector<std::string>& texts,
           const Tokenizer& tokenizer, int64_t context);
};

// As classed examples, these are labels. The examples of `texts` have the labels as a third column.
struct TextData : ClassedExamples {
  const TextClasses* classes = nullptr;
  EncodedTexts texts;
  std::vector<SharedRange> ranges;  // of texts.examples
  int64_t skipped = 0;

  std::string size_text() const;  // "12 examples", or "3 sentences, 12 words"
  std::string summary() const;    // "12 examples, 80 tokens, 0 lines skipped"
  ExampleSet set() const;         // refers to this object
  RowLabels names(const std::vector<int32_t>& of_labels, const Labels& names) const;
};
// Throws an Error for a label that is not among `labels`.
TextData encode_corpora(const TextClasses& classes, const std::vector<LabelledCorpus>& corpora,
                        const Labels& labels, const Tokenizer& tokenizer, int64_t context);

// Computes the batches of the share and returns the result over all batches.
ClassificationResult evaluate_texts(const Classifier& model, const TextData& data,
                                    const Labels& labels, double label_smoothing,
                                    BatchShare share = {});

// The probabilities of the classes: [rows][labels][classes].
std::vector<std::vector<std::vector<double>>> class_probabilities(const TextClasses& classes,
                                                                  const Classifier& model,
                                                                  const EncodedTexts& texts);

}  // namespace calque
