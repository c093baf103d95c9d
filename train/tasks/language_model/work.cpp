#include "train/tasks/language_model/work.h"

#include <algorithm>
#include <utility>

#include "train/tasks/example_works.h"

namespace calque {

void PackedWindows::append(std::span<const int32_t> window_inputs,
                           std::span<const int32_t> window_expected) {
  inputs.insert(inputs.end(), window_inputs.begin(), window_inputs.end());
  expected.insert(expected.end(), window_expected.begin(), window_expected.end());
  segments.append(static_cast<int32_t>(window_inputs.size()));
}

LanguageModelWork::LanguageModelWork(const LanguageModel& model, const TrainingConfig& training,
                                     PackedWindows windows, std::vector<int64_t> numbers,
                                     std::shared_ptr<const TextWindows> text)
    : model_(model),
      training_(training),
      windows_(std::move(windows)),
      numbers_(std::move(numbers)),
      text_(std::move(text)) {}

SummedLoss LanguageModelWork::forward() const {
  const TokenLoss loss = model_.loss(windows_.inputs, windows_.expected, windows_.segments,
                                     static_cast<real>(training_.label_smoothing), Mode::train,
                                     static_cast<real>(training_.r_drop));
  return summed(loss);
}

WorkSize LanguageModelWork::size() const {
  return {windows_.segments.count(), windows_.segments.tokens()};
}

std::string LanguageModelWork::where() const {
  if (!text_) return "";
  return origins_of(numbers_, [&](int64_t window) { return text_->where(window); });
}

// Windows have similar lengths, so each chunk takes the same number of windows.
Works LanguageModelWork::split(int64_t chunks) const {
  const int64_t count = windows_.segments.count();
  const int64_t each = (count + chunks - 1) / chunks;
  Works works;
  for (int64_t first = 0; first < count; first += each) {
    PackedWindows part;
    std::vector<int64_t> numbers;
    for (int64_t i = first; i < std::min(count, first + each); ++i) {
      const auto begin = static_cast<size_t>(windows_.segments.begin(i));
      const auto length = static_cast<size_t>(windows_.segments.length(i));
      part.append(std::span(windows_.inputs).subspan(begin, length),
                  std::span(windows_.expected).subspan(begin, length));
      if (!numbers_.empty()) numbers.push_back(numbers_[static_cast<size_t>(i)]);
    }
    works.push_back(std::make_unique<LanguageModelWork>(model_, training_, std::move(part),
                                                        std::move(numbers), text_));
  }
  return works;
}

}  // namespace calque
