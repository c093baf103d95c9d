#pragma once
// Evaluates a classifier on labelled texts, and predicts the classes of new texts.

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nn/models/classification_head.h"
#include "train/metrics/classification.h"
#include "train/report/records.h"
#include "train/tasks/classification/data.h"
#include "train/tasks/shared_validation.h"

namespace calque {

// The probability of each class for each text: [texts][classes].
std::vector<std::vector<double>> class_probabilities(const Classifier& model,
                                                     const std::vector<EncodedText>& texts);

struct ClassificationResult {
  LossSums sums;
  ConfusionMatrix confusion;
  std::vector<int32_t> predicted;  // [examples]

  std::vector<std::pair<std::string, double>> values() const;  // by the metric's name
};

// The results of the batches of an evaluation, of which each rank computes a share.
class ClassifiedBatches {
 public:
  explicit ClassifiedBatches(BatchShare share) : share_(std::move(share)) {}
  // Calls `logits`, which returns [examples, classes], if this rank computes the next batch.
  void add(std::span<const int32_t> labels, double label_smoothing,
           const std::function<Tensor()>& logits);
  // The result over the batches of all ranks.
  ClassificationResult result(int64_t classes);

 private:
  BatchShare share_;
  std::vector<LossSums> sums_;
  std::vector<int32_t> labels_, predicted_;
};

// The confusion matrix, unless there are more than 20 classes, and the number of examples, the
// precision, the recall and the F1 of each class.
ResultTable confusion_table(const ConfusionMatrix& matrix, const Labels& labels);

// Loss, accuracy, macro F1 and the table of classes, as lines of text.
std::string text_of(const ClassificationResult& result, const Labels& labels);

// Computes the batches of the share and returns the result over all batches.
ClassificationResult evaluate_classifier(const Classifier& model, const ClassificationData& data,
                                         double label_smoothing, BatchShare share = {});

}  // namespace calque
