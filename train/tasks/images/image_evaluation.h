#pragma once
// How well a Vision Transformer does on labelled images, and the classes of new images.

#include <vector>

#include "nn/vision.h"
#include "train/tasks/classification/classification_evaluation.h"
#include "train/tasks/images/image_data.h"

namespace calque {

// Over the batches of the share; the result is that of all.
ClassificationResult evaluate_images(const VisionTransformer& model,
                                     const ImagePreparation& preparation, const ImageData& data,
                                     double label_smoothing, BatchShare share = {});

// The probability of each class of an image.
std::vector<double> class_probabilities(const VisionTransformer& model,
                                        const ImagePreparation& preparation,
                                        std::span<const uint8_t> image);

// Where each head looks: [layers][heads][patches], the attention of the learned token to the
// patches (Pooling::cls), or the mean over all patches.
std::vector<std::vector<std::vector<double>>> attention_to_patches(
    const VisionTransformer& model, const ImagePreparation& preparation,
    std::span<const uint8_t> image);

}  // namespace calque
