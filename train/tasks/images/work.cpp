#include "train/tasks/images/work.h"

#include <algorithm>
#include <utility>

#include "train/tasks/example_works.h"

namespace calque {

ImageWork::ImageWork(const ImageTraining& with, PackedImages images, std::vector<int64_t> numbers)
    : with_(with), images_(std::move(images)), numbers_(std::move(numbers)) {}

SummedLoss ImageWork::forward() const {
  const Tensor pixels = with_.preparation.normalised(images_.pixels);
  const auto pass = [&] { return with_.model.pooled(pixels, Mode::train); };
  return summed(with_.model.head.loss(pass, images_.labels, with_.class_weights,
                                      static_cast<real>(with_.training.label_smoothing),
                                      static_cast<real>(with_.training.r_drop)));
}

WorkSize ImageWork::size() const {
  const int64_t count = std::ssize(images_.labels);
  return {count, count * with_.model.options.tokens()};
}

Works ImageWork::split(int64_t chunks) const {
  const int64_t count = std::ssize(images_.labels), pixels = with_.preparation.fit.shape.size();
  const int64_t each = (count + chunks - 1) / chunks;
  Works works;
  for (int64_t first = 0; first < count; first += each) {
    const int64_t end = std::min(count, first + each);
    PackedImages part{
        {images_.pixels.begin() + first * pixels, images_.pixels.begin() + end * pixels},
        {images_.labels.begin() + first, images_.labels.begin() + end}};
    works.push_back(std::make_unique<ImageWork>(
        with_, std::move(part),
        std::vector<int64_t>(numbers_.begin() + first, numbers_.begin() + end)));
  }
  return works;
}

std::string ImageWork::where() const {
  return origins_of(numbers_, [&](int64_t number) { return with_.data.where(number); });
}

}  // namespace calque
