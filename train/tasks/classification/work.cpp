#include "train/tasks/classification/work.h"

#include <algorithm>
#include <utility>

#include "train/tasks/example_works.h"

namespace calque {

void PackedTexts::append(std::span<const int32_t> text_ids, std::span<const int32_t> text_kinds,
                         int32_t label) {
  ids.insert(ids.end(), text_ids.begin(), text_ids.end());
  kinds.insert(kinds.end(), text_kinds.begin(), text_kinds.end());
  segments.append(static_cast<int32_t>(text_ids.size()));
  labels.push_back(label);
}

ClassificationWork::ClassificationWork(const Classifier& model, const TrainingConfig& training,
                                       std::span<const real> class_weights,
                                       const ClassificationData& data, PackedTexts texts,
                                       std::vector<int64_t> numbers)
    : model_(model),
      training_(training),
      class_weights_(class_weights),
      data_(data),
      texts_(std::move(texts)),
      numbers_(std::move(numbers)) {}

SummedLoss ClassificationWork::forward() const {
  const auto pass = [&] {
    return model_.pooled(texts_.ids, texts_.kinds, texts_.segments, Mode::train);
  };
  return summed(model_.head.loss(pass, texts_.labels, class_weights_,
                                 static_cast<real>(training_.label_smoothing),
                                 static_cast<real>(training_.r_drop)));
}

std::string ClassificationWork::where() const {
  return origins_of(numbers_, [&](int64_t example) { return data_.where(example); });
}

// The examples of a batch have similar lengths, so each chunk takes the same number of examples.
Works ClassificationWork::split(int64_t chunks) const {
  const int64_t count = texts_.segments.count();
  const int64_t each = (count + chunks - 1) / chunks;
  Works works;
  for (int64_t first = 0; first < count; first += each) {
    PackedTexts part;
    std::vector<int64_t> numbers;
    for (int64_t i = first; i < std::min(count, first + each); ++i) {
      const auto begin = static_cast<size_t>(texts_.segments.begin(i));
      const auto length = static_cast<size_t>(texts_.segments.length(i));
      part.append(std::span(texts_.ids).subspan(begin, length),
                  std::span(texts_.kinds).subspan(begin, length),
                  texts_.labels[static_cast<size_t>(i)]);
      numbers.push_back(numbers_[static_cast<size_t>(i)]);
    }
    works.push_back(std::make_unique<ClassificationWork>(model_, training_, class_weights_, data_,
                                                         std::move(part), std::move(numbers)));
  }
  return works;
}

}  // namespace calque
