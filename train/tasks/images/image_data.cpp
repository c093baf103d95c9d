#include "train/tasks/images/image_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>

#include "core/error.h"
#include "data/content_hash.h"
#include "data/file.h"
#include "train/storage/durable_files.h"
#include "train/tasks/data_settings.h"

namespace calque {
namespace {

ImageSet read_set(const CorpusConfig& corpus, Split split) {
  if (corpus.toy == CorpusConfig::Toy::shapes) {
    return toy_shapes(corpus.split.value_or(split), corpus.pairs,
                      static_cast<uint64_t>(corpus.seed));
  }
  if (std::filesystem::is_directory(corpus.images)) return read_image_folder(corpus.images);
  const std::string labels =
      corpus.labels.empty() ? idx_labels_beside(corpus.images) : corpus.labels;
  if (labels.empty() && std::filesystem::exists(corpus.images)) {
    fail("{}: has no images-idx3 in its name; name the file of its labels by labels",
         corpus.images);
  }
  return read_idx(corpus.images, labels);
}

std::string text_of(const PixelScale& scale) {
  return fmt::format("size {} {} {}\nmean {}\ndeviation {}\n", scale.shape.height,
                     scale.shape.width, scale.shape.channels, fmt::join(scale.mean, " "),
                     fmt::join(scale.deviation, " "));
}

// The inverse of text_of(). Returns nothing if the text has another form.
std::optional<PixelScale> parse_scale(const std::string& text) {
  std::istringstream in(text);
  PixelScale scale;
  std::string word;
  ImageShape& shape = scale.shape;
  if (!(in >> word >> shape.height >> shape.width >> shape.channels)) return std::nullopt;
  const auto is_side = [](int64_t side) { return side >= 1 && side <= largest_image_side; };
  if (!is_side(shape.height) || !is_side(shape.width)) return std::nullopt;
  if (shape.channels != 1 && shape.channels != 3) return std::nullopt;
  for (std::vector<double>* numbers : {&scale.mean, &scale.deviation}) {
    numbers->resize(static_cast<size_t>(shape.channels));
    in >> word;
    for (double& number : *numbers) in >> number;
  }
  if (!in || text_of(scale) != text) return std::nullopt;
  return scale;
}

}  // namespace

ImageCorpus read_image_corpus(const CorpusConfig& corpus, Split split) {
  return {corpus_name(corpus),
          {.weight = corpus.weight, .epochs = corpus.epochs},
          read_set(corpus, split)};
}

std::vector<ImageCorpus> read_image_corpora(const Corpora& corpora, Split split) {
  std::vector<ImageCorpus> read;
  for (const CorpusConfig& corpus : corpora) read.push_back(read_image_corpus(corpus, split));
  return read;
}

Labels labels_of(const std::vector<ImageCorpus>& corpora) {
  std::set<std::string> labels;
  for (const ImageCorpus& corpus : corpora) {
    labels.insert(corpus.set.labels.begin(), corpus.set.labels.end());
  }
  if (labels.size() < 2) {
    fail("{}: every image has the label '{}'; a classifier needs images of two classes or more",
         corpora.front().name, *labels.begin());
  }
  return {labels.begin(), labels.end()};
}

Tensor PixelScale::normalised(std::span<const uint8_t> pixels) const {
  const auto channels = static_cast<size_t>(shape.channels);
  std::vector<std::array<real, 256>> tables(channels);  // the number of each value of a pixel
  for (size_t k = 0; k < channels; ++k) {
    for (size_t value = 0; value < 256; ++value) {
      tables[k][value] =
          static_cast<real>((static_cast<double>(value) / 255 - mean[k]) / deviation[k]);
    }
  }
  const Tensor numbers({std::ssize(pixels) / shape.size(), shape.size()});
  for (size_t i = 0; i < pixels.size(); ++i) numbers.data()[i] = tables[i % channels][pixels[i]];
  return numbers;
}

PixelScale pixel_scale(const std::vector<ImageCorpus>& corpora) {
  PixelScale scale{.shape = corpora.front().set.shape, .mean = {}, .deviation = {}};
  const auto channels = static_cast<size_t>(scale.shape.channels);
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
    scale.mean.push_back(mean);
    // Constant images, such as all black ones, would be divided by 0.
    scale.deviation.push_back(variance > 1e-8 ? std::sqrt(variance) : 1);
  }
  return scale;
}

void save_pixel_scale(const PixelScale& scale, const RunFolder& run) {
  const std::string text = text_of(scale);
  std::error_code not_there;
  const bool as_long = std::filesystem::file_size(run.images(), not_there) == text.size();
  if (as_long && read_file(run.images(), std::ssize(text)) == text) return;
  replace_text(real_files(), run.images(), text);
}

PixelScale load_pixel_scale(const RunFolder& run) {
  constexpr const char* fix =
      "resume the run with calque train, which writes it again from the data";
  constexpr int64_t largest = 4096;
  const std::string path = run.images();
  if (!std::filesystem::exists(path)) fail("{}: is missing; restore it, or {}", path, fix);
  const auto scale = parse_scale(read_file(path, largest));
  if (!scale) {
    fail("{}: is not the size, mean and deviation of images; restore it, or {}", path, fix);
  }
  return *scale;
}

std::optional<PixelScale> pixel_scale_beside(const std::string& weights) {
  namespace fs = std::filesystem;
  fs::path place = fs::weakly_canonical(weights);
  // RUN/checkpoints/CHECKPOINT/model.safetensors is the deepest.
  for (int levels = 0; levels < 4; ++levels, place = place.parent_path()) {
    const RunFolder run{place.string()};
    if (fs::exists(run.config()) && fs::exists(run.images())) return load_pixel_scale(run);
  }
  return std::nullopt;
}

std::span<const uint8_t> ImageData::image(int64_t number) const {
  const auto after = std::ranges::upper_bound(parts, number, {}, &SharedRange::first);
  const auto part = static_cast<size_t>(after - parts.begin() - 1);
  return corpora[part].set.image(number - parts[part].first);
}

std::string ImageData::where(int64_t number) const {
  const auto after = std::ranges::upper_bound(parts, number, {}, &SharedRange::first);
  const auto part = static_cast<size_t>(after - parts.begin() - 1);
  const int64_t own = number - parts[part].first;
  const std::vector<std::string>& files = corpora[part].set.files;
  if (!files.empty()) return files[static_cast<size_t>(own)];
  return fmt::format("{}, image {}", corpora[part].name, own + 1);
}

ImageData classed_images(std::vector<ImageCorpus> corpora, const Labels& labels,
                         const ImageShape& shape) {
  ImageData data;
  data.counts.resize(labels.size());
  data.corpora = std::move(corpora);
  ContentHash hash;
  hash.add_text("images");
  for (const std::string& label : labels) hash.add_text(label);
  for (const ImageCorpus& corpus : data.corpora) {
    const ImageSet& set = corpus.set;
    if (set.shape != shape) {
      fail(
          "{}: images of {} x {} pixels with {} channels, but the training images have {} x {} "
          "with {}",
          corpus.name, set.shape.width, set.shape.height, set.shape.channels, shape.width,
          shape.height, shape.channels);
    }
    data.parts.push_back(
        {.first = data.count(), .count = set.count(), .share = corpus.share, .name = corpus.name});
    hash.add(shape.height).add(shape.width).add(shape.channels).add(set.count());
    hash.add({reinterpret_cast<const char*>(set.pixels.data()), set.pixels.size()});
    for (const std::string& own : set.labels) {
      const auto label = std::ranges::lower_bound(labels, own);
      if (label == labels.end() || *label != own) {
        fail("{}, image {}: the label '{}' does not occur in the training data", corpus.name,
             data.count() - data.parts.back().first + 1, own);
      }
      data.labels.push_back(static_cast<int32_t>(label - labels.begin()));
      ++data.counts[static_cast<size_t>(data.labels.back())];
      hash.add(data.labels.back());
    }
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
