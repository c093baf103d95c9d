#pragma once
// A micro-batch of labelled texts.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/classification_head.h"
#include "train/config/config.h"
#include "train/task.h"
#include "train/tasks/classification/classification_data.h"

namespace calque {

// Texts one after the other, without padding.
struct PackedTexts {
  std::vector<int32_t> ids, kinds;  // [tokens]
  Segments segments;                // [texts]
  std::vector<int32_t> labels;      // [texts]

  void append(std::span<const int32_t> text_ids, std::span<const int32_t> text_kinds,
              int32_t label);
};

class ClassificationWork : public Work {
 public:
  // Refers to its first four arguments. `numbers` are those of the examples in `data`.
  ClassificationWork(const Classifier& model, const TrainingConfig& training,
                     std::span<const real> class_weights, const ClassificationData& data,
                     PackedTexts texts, std::vector<int64_t> numbers);

  SummedLoss forward() const override;
  WorkSize size() const override { return {texts_.segments.count(), texts_.segments.tokens()}; }
  Works split(int64_t chunks) const override;
  std::string where() const override;

 private:
  const Classifier& model_;
  const TrainingConfig& training_;
  const std::span<const real> class_weights_;
  const ClassificationData& data_;
  const PackedTexts texts_;
  const std::vector<int64_t> numbers_;
};

}  // namespace calque
