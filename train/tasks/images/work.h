#pragma once
// A micro-batch of labelled images.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/models/vision.h"
#include "train/config/config.h"
#include "train/task.h"
#include "train/tasks/images/data.h"

namespace calque {

// Images one after the other.
struct PackedImages {
  std::vector<uint8_t> pixels;
  std::vector<int32_t> labels;

  void append(std::span<const int32_t> image, int32_t label) {
    for (const int32_t pixel : image) pixels.push_back(static_cast<uint8_t>(pixel));
    labels.push_back(label);
  }
};

// What all micro-batches of a run share.
struct ImageTraining {
  const VisionTransformer& model;
  const TrainingConfig& training;
  const ImagePreparation& preparation;
  const std::vector<real>& class_weights;
  const ImageData& data;
};

class ImageWork : public Work {
 public:
  // `numbers` has the images' indices in `with.data`.
  ImageWork(const ImageTraining& with, PackedImages images, std::vector<int64_t> numbers);

  SummedLoss forward() const override;
  WorkSize size() const override;
  Works split(int64_t chunks) const override;
  std::string where() const override;

 private:
  const ImageTraining with_;
  const PackedImages images_;
  const std::vector<int64_t> numbers_;
};

}  // namespace calque
