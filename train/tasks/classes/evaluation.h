#pragma once
// The evaluation of a model that names the class of an example.

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/batches/stream.h"
#include "train/metrics/classification.h"
#include "train/report/records.h"
#include "train/tasks/classes/labels.h"
#include "train/tasks/shared_validation.h"

namespace calque {

using ClassScores = std::vector<std::pair<std::string, double>>;  // by the metric's name

struct ClassificationResult {
  LossSums sums;
  ConfusionMatrix confusion;
  std::vector<int32_t> predicted;  // [labels]
  ClassScores more = {};           // shares that only some tasks measure

  ClassScores values() const;
};

// Returns the logits [labels, classes] of a batch.
using LogitsOf = std::function<Tensor(std::span<const Example>)>;

// Evaluates the examples, of which each rank computes a share; `labels` has their classes. If
// examples have several, first_labels has the index of the first label of each example and, at its
// end, the number of labels.
ClassificationResult evaluate_classes(const ExampleSet& examples, std::span<const int32_t> labels,
                                      int64_t classes, double label_smoothing, BatchShare share,
                                      const LogitsOf& logits,
                                      std::span<const int64_t> first_labels = {});

// The probabilities of the classes: [labels][classes].
std::vector<std::vector<double>> class_probabilities(const ExampleSet& examples,
                                                     const LogitsOf& logits);

// The tokens of an evaluation batch.
inline constexpr int64_t class_batch_tokens = 4096;

// The confusion matrix, unless there are more than 20 classes, and the number of examples, the
// precision, the recall and the F1 of each class.
ResultTable confusion_table(const ConfusionMatrix& matrix, const Labels& labels);

// Loss, accuracy, macro F1 and the table of classes, as lines of text.
std::string text_of(const ClassificationResult& result, const Labels& labels);

}  // namespace calque
