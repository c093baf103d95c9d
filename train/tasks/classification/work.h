#pragma once
// A micro-batch of labelled texts.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/models/classification_head.h"
#include "train/config/config.h"
#include "train/task.h"
#include "train/tasks/classification/data.h"

namespace calque {

// Texts one after the other, without padding.
struct PackedTexts {
  std::vector<int32_t> ids, kinds;  // [tokens]
  Segments segments;                // [texts]
  std::vector<int32_t> labels;      // [texts]

  void append(std::span<const int32_t> text_ids, std::span<const int32_t> text_kinds,
              int32_t label);
};

// Calls visit(batch) for all texts in their order, about 4,096 tokens at a time. A text without a
// label gets the label 0.
template <class Text, class Visit>
void for_each_batch(const std::vector<Text>& texts, Visit visit) {
  constexpr int64_t tokens_at_once = 4096;
  for (size_t next = 0; next < texts.size();) {
    PackedTexts batch;
    do {
      int32_t label = 0;
      if constexpr (requires { texts[next].label; }) label = texts[next].label;
      batch.append(texts[next].ids, texts[next].kinds, label);
    } while (++next < texts.size() && batch.segments.tokens() < tokens_at_once);
    visit(batch);
  }
}

class ClassificationWork : public Work {
 public:
  // Keeps references to its first four arguments. `numbers` has the examples' indices in `data`.
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
