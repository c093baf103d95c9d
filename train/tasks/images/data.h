#pragma once
// The images of a config with their classes.

#include <optional>
#include <string>
#include <vector>

#include "data/batches/stream.h"
#include "train/config/config.h"
#include "train/tasks/classes/labels.h"
#include "train/tasks/images/preparation.h"

namespace calque {

struct ImageCorpus {
  std::string name;
  CorpusShare share;
  ImageSet set;
};

// With a fit, the images are resized to its shape; if the fit has 0 channels, they get as many as
// the first image.
ImageCorpus read_image_corpus(const CorpusConfig& corpus, Split split,
                              const std::optional<ImageFit>& fit);
std::vector<ImageCorpus> read_image_corpora(const Corpora& corpora, Split split,
                                            const ImageFit& fit);
// Throws an Error for fewer than two classes.
Labels labels_of(const std::vector<ImageCorpus>& corpora);

struct TrainingImages {
  std::vector<ImageCorpus> corpora;
  ImagePreparation preparation;
};

// The images are resized as in `initial`, the preparation of the initial weights, but to
// data.image_size if it is set. Without both, they must have one shape. Channels are normalised as
// in `initial`, or by their mean and deviation over these images.
TrainingImages read_training_images(const Config& config,
                                    const std::optional<ImagePreparation>& initial);

struct ImageData : ClassedExamples {
  std::vector<ImageCorpus> corpora;

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
