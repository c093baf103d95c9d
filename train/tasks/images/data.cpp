#include "train/tasks/images/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "train/tasks/data_settings.h"

namespace calque {
namespace {

ImageSet read_idx_of(const CorpusConfig& corpus) {
  const std::string labels =
      corpus.labels.empty() ? idx_labels_beside(corpus.images) : corpus.labels;
  if (labels.empty() && std::filesystem::exists(corpus.images)) {
    fail("{}: has no images-idx3 in its name; name the file of its labels by labels",
         corpus.images);
  }
  return read_idx(corpus.images, labels);
}

ImageSet read_set(const CorpusConfig& corpus, Split split, std::optional<ImageFit> fit) {
  const auto fit_for = [&](const ImageShape& image) {
    if (fit->shape.channels == 0) fit->shape.channels = image.channels;
    return *fit;
  };
  const bool toy = corpus.toy == CorpusConfig::Toy::shapes;
  if (!toy && std::filesystem::is_directory(corpus.images)) {
    if (!fit) return read_image_folder(corpus.images);
    return read_image_folder(corpus.images,
                             [&](const Image& image) { return fit_for(image.shape)(image); });
  }
  ImageSet set = toy ? toy_shapes(corpus.split.value_or(split), corpus.pairs,
                                  static_cast<uint64_t>(corpus.seed))
                     : read_idx_of(corpus);
  if (!fit) return set;
  const ImageFit to = fit_for(set.shape);
  return to(std::move(set));
}

// Sets the mean and the deviation of each channel.
void measure(const std::vector<ImageCorpus>& corpora, ImagePreparation& preparation) {
  const auto channels = static_cast<size_t>(preparation.fit.shape.channels);
  std::vector<std::array<int64_t, 256>> counts(channels);
  for (const ImageCorpus& corpus : corpora) {
    const std::vector<uint8_t>& pixels = corpus.set.pixels;
    for (size_t i = 0; i < pixels.size(); ++i) ++counts[i % channels][pixels[i]];
  }
  for (const auto& histogram : counts) {
    double all = 0, sum = 0, squares = 0;
    for (size_t value = 0; value < histogram.size(); ++value) {
      const double x = static_cast<double>(value) / 255, n = static_cast<double>(histogram[value]);
      all += n;
      sum += n * x;
      squares += n * x * x;
    }
    const double mean = sum / all, variance = squares / all - mean * mean;
    preparation.mean.push_back(mean);
    // Constant images, such as all black ones, would be divided by 0.
    preparation.deviation.push_back(variance > 1e-8 ? std::sqrt(variance) : 1);
  }
}

}  // namespace

ImageCorpus read_image_corpus(const CorpusConfig& corpus, Split split,
                              const std::optional<ImageFit>& fit) {
  return {corpus_name(corpus),
          {.weight = corpus.weight, .epochs = corpus.epochs},
          read_set(corpus, split, fit)};
}

std::vector<ImageCorpus> read_image_corpora(const Corpora& corpora, Split split,
                                            const ImageFit& fit) {
  std::vector<ImageCorpus> read;
  for (const CorpusConfig& corpus : corpora) read.push_back(read_image_corpus(corpus, split, fit));
  return read;
}

TrainingImages read_training_images(const Config& config,
                                    const std::optional<ImagePreparation>& initial) {
  const int64_t side = config.data.image_size;
  std::optional<ImageFit> fit;
  if (initial) fit = initial->fit;
  const bool has_side = fit && fit->shape.height == side && fit->shape.width == side;
  if (side > 0 && !has_side) {
    const ImageFit square({side, side, fit ? fit->shape.channels : 0});
    const Interpolation interpolation = fit ? fit->interpolation : square.interpolation;
    fit = square;
    fit->interpolation = interpolation;
  }
  TrainingImages images;
  for (const CorpusConfig& corpus : config.data.train) {
    images.corpora.push_back(read_image_corpus(corpus, Split::train, fit));
    if (fit) fit->shape.channels = images.corpora.front().set.shape.channels;
  }
  const ImageShape& shape = images.corpora.front().set.shape;
  images.preparation.fit = fit.value_or(ImageFit(shape));
  if (initial && initial->fit.shape.channels == shape.channels) {
    images.preparation.mean = initial->mean;
    images.preparation.deviation = initial->deviation;
  } else {
    measure(images.corpora, images.preparation);
  }
  return images;
}

Labels labels_of(const std::vector<ImageCorpus>& corpora) {
  std::set<std::string> labels;
  for (const ImageCorpus& corpus : corpora) {
    labels.insert(corpus.set.labels.begin(), corpus.set.labels.end());
  }
  return two_labels_or_more(labels, corpora.front().name, "image");
}

std::span<const uint8_t> ImageData::image(int64_t number) const {
  const size_t part = part_of(number);
  return corpora[part].set.image(number - parts[part].first);
}

std::string ImageData::where(int64_t number) const {
  const size_t part = part_of(number);
  const std::vector<std::string>& files = corpora[part].set.files;
  if (files.empty()) return ClassedExamples::where(number);
  return files[static_cast<size_t>(number - parts[part].first)];
}

ImageData classed_images(std::vector<ImageCorpus> corpora, const Labels& labels,
                         const ImageShape& shape) {
  ImageData data;
  data.noun = "image";
  data.corpora = std::move(corpora);
  ContentHash hash;
  hash.add_text("images");
  for (const std::string& label : labels) hash.add_text(label);
  for (const ImageCorpus& corpus : data.corpora) {
    const ImageSet& set = corpus.set;
    if (set.shape != shape) {
      fail(
          "{}: images of {} x {} pixels with {} channels, but the first training images have {} x "
          "{} with {}; set data.image_size to convert them",
          corpus.name, set.shape.width, set.shape.height, set.shape.channels, shape.width,
          shape.height, shape.channels);
    }
    data.parts.push_back(
        {.first = data.count(), .count = set.count(), .share = corpus.share, .name = corpus.name});
    hash.add(shape.height).add(shape.width).add(shape.channels).add(set.count());
    hash.add({reinterpret_cast<const char*>(set.pixels.data()), set.pixels.size()});
    for (const std::string& label : set.labels) hash.add(data.add(label, labels));
  }
  data.hash = hash.value();
  return data;
}

ExampleSet example_set(const ImageData& data, int64_t tokens, const Augmentation& augmentation,
                       uint64_t seed) {
  ExampleSet set;
  set.costs.assign(data.labels.size(), static_cast<int32_t>(tokens));
  set.parts = data.parts;
  set.read = [&data, augmentation, seed](int64_t epoch, int64_t number, Example& out) {
    const ImageShape& shape = data.corpora.front().set.shape;
    out.resize(2);
    out[0].resize(static_cast<size_t>(shape.size()));
    augment(data.image(number), shape, augmentation, augmentation_stream(seed, epoch, number),
            out[0]);
    out[1] = {data.labels[static_cast<size_t>(number)]};
  };
  set.where = [&data](int64_t number) { return data.where(number); };
  return set;
}

}  // namespace calque
