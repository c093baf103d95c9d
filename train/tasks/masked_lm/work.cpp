#include "train/tasks/masked_lm/work.h"

#include <algorithm>
#include <utility>

#include "train/tasks/example_works.h"

namespace calque {

void PackedMasks::append(std::span<const int32_t> window_ids,
                         std::span<const int32_t> window_expected) {
  ids.insert(ids.end(), window_ids.begin(), window_ids.end());
  expected.insert(expected.end(), window_expected.begin(), window_expected.end());
  segments.append(static_cast<int32_t>(window_ids.size()));
}

std::pair<std::vector<int32_t>, std::vector<int32_t>> PackedMasks::targets() const {
  std::pair<std::vector<int32_t>, std::vector<int32_t>> found;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == not_masked) continue;
    found.first.push_back(static_cast<int32_t>(i));
    found.second.push_back(expected[i]);
  }
  return found;
}

MaskedWork::MaskedWork(const MaskedLm& model, const TrainingConfig& training, PackedMasks masks,
                       std::vector<int64_t> numbers, std::shared_ptr<const MaskedWindows> text)
    : model_(model),
      training_(training),
      masks_(std::move(masks)),
      numbers_(std::move(numbers)),
      text_(std::move(text)) {}

SummedLoss MaskedWork::forward() const {
  const auto [rows, expected] = masks_.targets();
  return summed(model_.loss(masks_.ids, masks_.segments, rows, expected,
                            static_cast<real>(training_.label_smoothing), Mode::train,
                            static_cast<real>(training_.r_drop)));
}

std::string MaskedWork::where() const {
  return origins_of(numbers_, [&](int64_t window) { return text_->where(window); });
}

// Windows have similar lengths, so each chunk takes the same number of windows.
Works MaskedWork::split(int64_t chunks) const {
  const int64_t count = masks_.segments.count();
  const int64_t each = (count + chunks - 1) / chunks;
  Works works;
  for (int64_t first = 0; first < count; first += each) {
    PackedMasks part;
    std::vector<int64_t> numbers;
    for (int64_t i = first; i < std::min(count, first + each); ++i) {
      const auto begin = static_cast<size_t>(masks_.segments.begin(i));
      const auto length = static_cast<size_t>(masks_.segments.length(i));
      part.append(std::span(masks_.ids).subspan(begin, length),
                  std::span(masks_.expected).subspan(begin, length));
      numbers.push_back(numbers_[static_cast<size_t>(i)]);
    }
    works.push_back(std::make_unique<MaskedWork>(model_, training_, std::move(part),
                                                 std::move(numbers), text_));
  }
  return works;
}

}  // namespace calque
