#pragma once
// Evaluates a Vision Transformer on labelled images, and predicts the classes of new images.

#include <vector>

#include "nn/models/vision.h"
#include "train/tasks/classes/evaluation.h"
#include "train/tasks/images/data.h"

namespace calque {

// The pixels of examples of two columns, pixels and label: [images, size].
Tensor normalised_pixels(const ImagePreparation& preparation, std::span<const Example> images);

// Computes the batches of the share and returns the result over all batches.
ClassificationResult evaluate_images(const VisionTransformer& model,
                                     const ImagePreparation& preparation, const ImageData& data,
                                     double label_smoothing, BatchShare share = {});

// The probability of each class of an image.
std::vector<double> class_probabilities(const VisionTransformer& model,
                                        const ImagePreparation& preparation,
                                        std::span<const uint8_t> image);

// The attention of each head to the patches, [layers][heads][patches]: that of the learned token
// (Pooling::cls), or the mean over all patches.
std::vector<std::vector<std::vector<double>>> attention_to_patches(
    const VisionTransformer& model, const ImagePreparation& preparation,
    std::span<const uint8_t> image);

}  // namespace calque
