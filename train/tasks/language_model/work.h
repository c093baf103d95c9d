#pragma once
// A micro-batch of text windows: each token is predicted from the tokens before it in its window.

#include <memory>
#include <string>
#include <vector>

#include "data/documents/windows.h"
#include "nn/models/language_model.h"
#include "train/config/config.h"
#include "train/task.h"

namespace calque {

// Windows in one sequence, without padding.
struct PackedWindows {
  std::vector<int32_t> inputs, expected;  // [tokens]
  Segments segments;                      // [windows]

  void append(std::span<const int32_t> window_inputs, std::span<const int32_t> window_expected);
};

class LanguageModelWork : public Work {
 public:
  // `numbers` has the indices of the windows in `text`, from which where() names them. `numbers`
  // may be empty, and `text` null.
  LanguageModelWork(const LanguageModel& model, const TrainingConfig& training,
                    PackedWindows windows, std::vector<int64_t> numbers,
                    std::shared_ptr<const TextWindows> text);

  SummedLoss forward() const override;
  WorkSize size() const override;
  Works split(int64_t chunks) const override;
  std::string where() const override;

 private:
  const LanguageModel& model_;
  const TrainingConfig& training_;
  const PackedWindows windows_;
  const std::vector<int64_t> numbers_;
  const std::shared_ptr<const TextWindows> text_;
};

}  // namespace calque
