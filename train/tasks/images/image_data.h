#pragma once
// The images of a config with their classes, and how pixels become numbers: minus the mean and
// divided by the deviation of each channel over the training images, or those of the run that
// model.init_from names. A run keeps this in RUN/images.txt.

#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "data/batch_stream.h"
#include "data/images.h"
#include "train/config/config.h"
#include "train/storage/run_folder.h"
#include "train/tasks/classification/labelled_corpora.h"

namespace calque {

struct ImageCorpus {
  std::string name;
  CorpusShare share;
  ImageSet set;
};

ImageCorpus read_image_corpus(const CorpusConfig& corpus, Split split);
std::vector<ImageCorpus> read_image_corpora(const Corpora& corpora, Split split);
// Throws an Error for fewer than two classes.
Labels labels_of(const std::vector<ImageCorpus>& corpora);

struct PixelScale {
  ImageShape shape;
  std::vector<double> mean, deviation;  // [channels], of pixels between 0 and 1

  // pixels [images x size] -> [images, size]
  Tensor normalised(std::span<const uint8_t> pixels) const;
  bool operator==(const PixelScale&) const = default;
};

PixelScale pixel_scale(const std::vector<ImageCorpus>& corpora);
void save_pixel_scale(const PixelScale& scale, const RunFolder& run);
// Throws an Error if the file is missing or damaged.
PixelScale load_pixel_scale(const RunFolder& run);

// That of the run that `weights` are of: a run, a checkpoint, or a file of a checkpoint. Nothing if
// they are of no run on images.
std::optional<PixelScale> pixel_scale_beside(const std::string& weights);

struct ImageData {
  std::vector<ImageCorpus> corpora;
  std::vector<SharedRange> parts;
  std::vector<int32_t> labels;  // [images]
  std::vector<int64_t> counts;  // [classes]
  uint64_t hash = 0;

  int64_t count() const { return std::ssize(labels); }
  std::span<const uint8_t> image(int64_t number) const;
  // "train-images-idx3-ubyte, image 17", or the file of the image.
  std::string where(int64_t number) const;
};

// Throws an Error for images of another shape, and for a label that is not among `labels`.
ImageData classed_images(std::vector<ImageCorpus> corpora, const Labels& labels,
                         const ImageShape& shape);

// Examples of two columns, pixels and label, with a cost of `tokens` each; refers to the data.
ExampleSet example_set(const ImageData& data, int64_t tokens, const Augmentation& augmentation,
                       uint64_t seed);

}  // namespace calque
