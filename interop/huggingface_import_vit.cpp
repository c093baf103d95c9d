#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/error.h"
#include "interop/filling_walk.h"
#include "interop/foreign_positions.h"
#include "interop/huggingface_import_parts.h"
#include "interop/huggingface_names.h"
#include "interop/patch_convolution.h"

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
  std::tie(to.shape.height, to.shape.width) = read_sides(config, "image_size");
  to.shape.channels = config.integer("num_channels", 1, 3, 3);
  if (to.shape.channels == 2) config.refuse("num_channels", "is 2; calque has 1 and 3");
  const auto [rows, columns] = read_sides(config, "patch_size");
  if (rows != columns) {
    config.refuse("patch_size",
                  fmt::format("is {} x {}; calque has square patches", rows, columns));
  }
  if (to.shape.height % rows != 0 || to.shape.width % rows != 0) {
    config.refuse("patch_size", fmt::format("is {}, which does not divide images of {} x {}", rows,
                                            to.shape.width, to.shape.height));
  }
  to.config.model.patch = rows;
}

void read_vit(const ForeignJson& config, ModelConfig& model) {
  read_encoder(config, 0, model);
  model.norm_placement = NormPlacement::pre;
  model.pooling = Pooling::cls;
}

// A number for each channel.
std::vector<double> read_channels(const ForeignJson& processor, std::string_view key,
                                  int64_t channels) {
  std::vector<double> numbers = processor.numbers(key);
  if (numbers.size() == 1) numbers.resize(static_cast<size_t>(channels), numbers[0]);
  if (std::ssize(numbers) != channels) {
    processor.refuse(key, fmt::format("must be {} numbers", channels));
  }
  return numbers;
}

// There a pixel from 0 to 255 is multiplied by a factor before the mean is subtracted.
void read_pixel_scale(const ForeignJson& processor, ImportedImageModel& to) {
  const int64_t channels = to.shape.channels;
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

ForeignJson read_processor(const HuggingfaceFolder& folder) {
  const std::string file = folder.file("preprocessor_config.json");
  if (!std::filesystem::exists(file)) {
    fail("{}: is missing; it says how pixels become numbers", file);
  }
  return ForeignJson::read(file);
}

// The sizes, which the shapes of the tensors follow from.
VisionOptions sizes_of(const ImportedImageModel& model) {
  VisionOptions options;
  options.layer.d_model = model.config.model.d_model;
  options.height = model.shape.height;
  options.width = model.shape.width;
  options.channels = model.shape.channels;
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
  read_pixel_scale(read_processor(folder), to);
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
  to.labels = take_sorted_classes(config, d, tensors);
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
