#pragma once
// A micro-batch of masked windows: the masked tokens are predicted from all tokens of the window.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/models/encoder.h"
#include "train/config/config.h"
#include "train/task.h"
#include "train/tasks/masked_lm/windows.h"

namespace calque {

// Windows one after the other, without padding.
struct PackedMasks {
  std::vector<int32_t> ids, expected;  // [tokens]; not_masked where nothing is predicted
  Segments segments;                   // [windows]

  void append(std::span<const int32_t> window_ids, std::span<const int32_t> window_expected);
  // The positions to predict, and their original ids.
  std::pair<std::vector<int32_t>, std::vector<int32_t>> targets() const;
};

class MaskedWork : public Work {
 public:
  MaskedWork(const MaskedLm& model, const TrainingConfig& training, PackedMasks masks,
             std::vector<int64_t> numbers, std::shared_ptr<const MaskedWindows> text);

  SummedLoss forward() const override;
  WorkSize size() const override { return {masks_.segments.count(), masks_.segments.tokens()}; }
  Works split(int64_t chunks) const override;
  std::string where() const override;

 private:
  const MaskedLm& model_;
  const TrainingConfig& training_;
  const PackedMasks masks_;
  const std::vector<int64_t> numbers_;
  const std::shared_ptr<const MaskedWindows> text_;
};

}  // namespace calque
