#pragma once
// Evaluates a classifier on labelled texts, and predicts the classes of new texts.

#include <vector>

#include "nn/models/classification_head.h"
#include "train/tasks/classes/evaluation.h"
#include "train/tasks/classification/data.h"

namespace calque {

// The vectors [texts, d_model] that are classified.
Tensor text_vectors(const Classifier& model, std::span<const Example> texts, Mode mode);

// The probability of each class for each text: [texts][classes].
std::vector<std::vector<double>> class_probabilities(const Classifier& model,
                                                     const std::vector<EncodedText>& texts);

// Computes the batches of the share and returns the result over all batches.
ClassificationResult evaluate_classifier(const Classifier& model, const ClassificationData& data,
                                         double label_smoothing, BatchShare share = {});

}  // namespace calque
