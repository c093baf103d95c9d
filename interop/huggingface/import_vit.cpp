#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "interop/huggingface/import_parts.h"
#include "interop/huggingface/names.h"
#include "interop/parameters/filling_walk.h"
#include "interop/parameters/patch_convolution.h"
#include "interop/parameters/positions.h"

namespace calque {
namespace {

// Height and width, which may be one number for both.
std::pair<int64_t, int64_t> read_sides(const ForeignJson& config, std::string_view key) {
  std::vector<int64_t> sizes = config.integers(key);
  if (sizes.size() == 1) sizes.push_back(sizes[0]);
  const auto is_side = [](int64_t side) { return side >= 1 && side <= largest_image_side; };
  if (sizes.size() != 2 || !std::ranges::all_of(sizes, is_side)) {
    config.refuse(key, fmt::format("must be one or two numbers from 1 to {}", largest_image_side));
  }
  return {sizes[0], sizes[1]};
}

void read_images(const ForeignJson& config, ImportedImageModel& to) {
  ImageShape shape;
  std::tie(shape.height, shape.width) = read_sides(config, "image_size");
  shape.channels = config.integer("num_channels", 1, 3, 3);
  if (shape.channels == 2) config.refuse("num_channels", "is 2; calque has 1 and 3");
  const auto [rows, columns] = read_sides(config, "patch_size");
  if (rows != columns) {
    config.refuse("patch_size",
                  fmt::format("is {} x {}; calque has square patches", rows, columns));
  }
  if (shape.height % rows != 0 || shape.width % rows != 0) {
    config.refuse("patch_size", fmt::format("is {}, which does not divide images of {} x {}", rows,
                                            shape.width, shape.height));
  }
  to.config.model.patch = rows;
  to.fit = ImageFit(shape);
}

void read_vit(const ForeignJson& config, ModelConfig& model) {
  read_encoder(config, 0, model);
  model.norm_placement = NormPlacement::pre;
  model.pooling = Pooling::cls;
}

// One number for each channel. The setting may be one number for all channels.
std::vector<double> read_channels(const ForeignJson& processor, std::string_view key,
                                  int64_t channels) {
  std::vector<double> numbers = processor.numbers(key);
  if (numbers.size() == 1) numbers.resize(static_cast<size_t>(channels), numbers[0]);
  if (std::ssize(numbers) != channels) {
    processor.refuse(key, fmt::format("must be {} numbers", channels));
  }
  return numbers;
}

// Where calque divides a pixel from 0 to 255 by 255, transformers multiplies it by rescale_factor.
// The mean and deviation are converted accordingly.
void read_pixel_scale(const ForeignJson& processor, ImportedImageModel& to) {
  const int64_t channels = to.fit.shape.channels;
  to.mean.assign(static_cast<size_t>(channels), 0);
  to.deviation.assign(static_cast<size_t>(channels), 1);
  if (processor.flag("do_normalize", true)) {
    to.mean = read_channels(processor, "image_mean", channels);
    to.deviation = read_channels(processor, "image_std", channels);
  }
  const bool scales = processor.flag("do_rescale", true);
  const double factor = scales ? processor.number("rescale_factor", 1 / 255.0) : 1;
  for (size_t k = 0; k < to.mean.size(); ++k) {
    to.mean[k] /= 255 * factor;
    to.deviation[k] /= 255 * factor;
    if (!std::isfinite(to.mean[k]) || !std::isnormal(to.deviation[k]) || to.deviation[k] < 0) {
      processor.refuse("image_std", "and rescale_factor must be positive numbers");
    }
  }
}

// An object with height and width, or one number for both.
std::pair<int64_t, int64_t> read_size(const ForeignJson& processor, const std::string& key) {
  if (!processor.has(key) || !processor.json()[key].is_object()) return read_sides(processor, key);
  const ForeignJson size(processor.json()[key], processor.path() + ": " + key);
  return {size.integer("height", 1, largest_image_side),
          size.integer("width", 1, largest_image_side)};
}

void require_model_size(const ForeignJson& processor, std::string_view key, int64_t height,
                        int64_t width, const ImageShape& shape) {
  if (height == shape.height && width == shape.width) return;
  processor.refuse(key, fmt::format("is {} x {}, but the model reads images of {} x {}", width,
                                    height, shape.width, shape.height));
}

// An image is resized, and then its center is cut out if do_center_crop is true.
void read_fit(const ForeignJson& processor, ImageFit& fit) {
  if (!processor.flag("do_resize", true)) {
    if (!processor.flag("do_center_crop", false)) return;  // images must have the model's size
    processor.refuse("do_resize", "must be true with do_center_crop");
  }
  if (processor.has("size")) std::tie(fit.height, fit.width) = read_size(processor, "size");
  if (processor.flag("do_center_crop", false)) {
    const auto [height, width] = read_size(processor, "crop_size");
    require_model_size(processor, "crop_size", height, width, fit.shape);
    if (fit.height < height || fit.width < width) processor.refuse("size", "is below crop_size");
  } else {
    require_model_size(processor, "size", fit.height, fit.width, fit.shape);
  }
  // The numbers are those of Pillow.
  const int64_t resample = processor.integer("resample", 0, 5, 2);
  if (resample != 2 && resample != 3) {
    processor.refuse("resample",
                     fmt::format("is {}; calque has 2 (bilinear) and 3 (bicubic)", resample));
  }
  fit.interpolation = resample == 3 ? Interpolation::bicubic : Interpolation::bilinear;
}

ForeignJson read_processor(const HuggingfaceFolder& folder) {
  const std::string file = folder.file("preprocessor_config.json");
  if (!std::filesystem::exists(file)) {
    fail("{}: is missing; it says how images are resized and normalised", file);
  }
  return ForeignJson::read(file);
}

// The sizes that determine the shapes of the tensors.
VisionOptions sizes_of(const ImportedImageModel& model) {
  VisionOptions options;
  options.layer.d_model = model.config.model.d_model;
  options.height = model.fit.shape.height;
  options.width = model.fit.shape.width;
  options.channels = model.fit.shape.channels;
  options.patch = model.config.model.patch;
  options.head.pooling = model.config.model.pooling;
  return options;
}

PositionKind kind_of_positions(const Tensor& table, const VisionOptions& options) {
  if (std::ranges::equal(table.span(), plane_sinusoids(options).span())) return PositionKind::plane;
  return kind_of_table(table);
}

}  // namespace

ImportedImageModel import_huggingface_vit(const HuggingfaceFolder& folder) {
  const ForeignJson& config = folder.config;
  ImportedImageModel to;
  to.config = fine_tuning_config(TaskKind::images);
  ModelConfig& model = to.config.model;
  read_vit(config, model);
  read_images(config, to);
  const ForeignJson processor = read_processor(folder);
  read_fit(processor, to.fit);
  read_pixel_scale(processor, to);
  ForeignTensors tensors = read_weights_folder(folder.path);
  const VisionOptions sizes = sizes_of(to);
  const int64_t d = model.d_model, tokens = sizes.tokens();
  const std::string embeddings = "vit.embeddings.";
  const Tensor positions =
      tensors.take(embeddings + "position_embeddings", {1, tokens, d}).reshaped({tokens, d});
  const Tensor cls = tensors.take(embeddings + "cls_token", {1, 1, d});
  const Tensor convolution = tensors.take(embeddings + "patch_embeddings.projection.weight",
                                          {d, sizes.channels, sizes.patch, sizes.patch});
  model.positions = kind_of_positions(positions, sizes);
  to.config.training.batch_tokens = std::max(to.config.training.batch_tokens, tokens);
  to.labels = take_sorted_labels(config, d, tensors);
  const bool biases = config.flag("qkv_bias", true);
  to.fill = [=](const VisionTransformer& own) {
    ForeignTensors left = tensors;
    const ForeignVocabularies no_tokens;
    FillingWalk walk(left, no_tokens);
    if (!biases) walk.allow_missing_biases();
    walk_huggingface(walk, own);
    copy_convolution(convolution, own.patches.weight);
    std::ranges::copy(cls.span(), own.cls.data());
    if (own.body.positions.kind == PositionKind::learned) {
      std::ranges::copy(positions.span(), own.body.positions.table.data());
    }
    left.finish();
  };
  return to;
}

}  // namespace calque
