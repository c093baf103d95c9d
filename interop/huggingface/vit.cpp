// ViT: a classifier of images.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "interop/huggingface/format.h"
#include "interop/huggingface/names.h"
#include "interop/huggingface/parts.h"
#include "interop/parameters/filling_walk.h"
#include "interop/parameters/positions.h"
#include "train/config/fine_tuning.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

// Calls visit(i, k) for each number i of ViT's convolution [d, channels, rows, columns] and its
// number k in calque's matrix over the pixels of a patch, [rows x columns x channels, d].
template <class Visit>
void for_each_weight(const VisionOptions& options, Visit&& visit) {
  const int64_t d = options.layer.d_model, pixels = options.patch * options.patch;
  int64_t i = 0;
  for (int64_t column = 0; column < d; ++column) {
    for (int64_t channel = 0; channel < options.channels; ++channel) {
      for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        visit(i++, (pixel * options.channels + channel) * d + column);
      }
    }
  }
}

TensorList tensors_of(const VisionTransformer& model) {
  const VisionOptions& options = model.options;
  const int64_t d = options.layer.d_model;
  ListingWalk walk;
  walk_huggingface(walk, model);
  const Tensor table =
      model.plane ? model.plane : position_table(model.body.positions, options.tokens(), d);
  walk.tensor("vit.embeddings.cls_token", model.cls.reshaped({1, 1, d}));
  walk.tensor("vit.embeddings.position_embeddings", table.reshaped({1, options.tokens(), d}));
  Tensor convolution({d, options.channels, options.patch, options.patch});
  for_each_weight(options, [&](int64_t i, int64_t k) {
    convolution.data()[i] = model.patches.weight.data()[k];
  });
  walk.tensor("vit.embeddings.patch_embeddings.projection.weight", convolution);
  return std::move(walk.list);
}

Json config_of(const Exported<VisionTransformer>& from) {
  const VisionOptions& options = from.model.options;
  Json config;
  config["architectures"] = {"ViTForImageClassification"};
  config["model_type"] = "vit";
  config["image_size"] = {options.height, options.width};
  config["patch_size"] = options.patch;
  config["num_channels"] = options.channels;
  config["qkv_bias"] = true;
  describe_encoder(options.layer, options.layers, config);
  describe_classes(from.labels, config);
  return config;
}

Json size_of(int64_t height, int64_t width) { return {{"height", height}, {"width", width}}; }

Json processor_of(const Exported<VisionTransformer>& from) {
  const ImageFit& fit = from.preparation.fit;
  Json config;
  config["image_processor_type"] = "ViTImageProcessor";
  config["do_resize"] = true;
  config["size"] = size_of(fit.height, fit.width);
  config["resample"] =
      fit.interpolation == Interpolation::bicubic ? 3 : 2;  // as Pillow numbers them
  if (fit.height != fit.shape.height || fit.width != fit.shape.width) {
    config["image_processor_type"] = "DeiTImageProcessor";
    config["do_center_crop"] = true;
    config["crop_size"] = size_of(fit.shape.height, fit.shape.width);
  }
  config["do_rescale"] = true;
  config["rescale_factor"] = 1 / 255.0;
  config["do_normalize"] = true;
  config["image_mean"] = from.preparation.mean;
  config["image_std"] = from.preparation.deviation;
  return config;
}

constexpr std::string_view vit_readme = R"(# An image classifier for Hugging Face transformers

```python
from PIL import Image
from transformers import pipeline
classify = pipeline("image-classification", "PATH OF THIS FOLDER")
print(classify(Image.open("image.png")))
```
)";

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

void read_images(const ForeignJson& config, RunParts& to) {
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
  to.preparation.fit = ImageFit(shape);
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
void read_pixel_scale(const ForeignJson& processor, ImagePreparation& to) {
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
VisionOptions sizes_of(const RunParts& parts) {
  const ImageShape& shape = parts.preparation.fit.shape;
  VisionOptions options;
  options.layer.d_model = parts.config.model.d_model;
  options.height = shape.height;
  options.width = shape.width;
  options.channels = shape.channels;
  options.patch = parts.config.model.patch;
  options.head.pooling = parts.config.model.pooling;
  return options;
}

PositionKind kind_of_positions(const Tensor& table, const VisionOptions& options) {
  if (std::ranges::equal(table.span(), plane_sinusoids(options).span())) return PositionKind::plane;
  return kind_of_table(table);
}

}  // namespace

void write_huggingface(const Exported<VisionTransformer>& from, ExportFolder& to) {
  to.write_json("config.json", config_of(from));
  to.write_json("preprocessor_config.json", processor_of(from));
  to.write_safetensors("model.safetensors", tensors_of(from.model), "pt");
  to.write("README.md", vit_readme);
}

Imported<VisionTransformer> import_huggingface_vit(const HuggingfaceFolder& folder) {
  const ForeignJson& config = folder.config;
  Imported<VisionTransformer> to(fine_tuning_config(TaskKind::images));
  ModelConfig& model = to.config.model;
  read_vit(config, model);
  read_images(config, to);
  const ForeignJson processor = read_processor(folder);
  read_fit(processor, to.preparation.fit);
  read_pixel_scale(processor, to.preparation);
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
  const Biases biases = config.flag("qkv_bias", true) ? Biases::required : Biases::optional;
  const auto rest = [=](const VisionTransformer& own) {
    for_each_weight(own.options, [&](int64_t i, int64_t k) {
      own.patches.weight.data()[k] = convolution.data()[i];
    });
    std::ranges::copy(cls.span(), own.cls.data());
    fill_learned(own.body.positions, positions);
  };
  to.fill = filling<VisionTransformer>(walk_huggingface, tensors, {}, rest, biases);
  return to;
}

}  // namespace calque
