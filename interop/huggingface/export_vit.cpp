#include <nlohmann/json.hpp>

#include "interop/export_folder.h"
#include "interop/formats.h"
#include "interop/huggingface/export.h"
#include "interop/huggingface/names.h"
#include "interop/huggingface/parts.h"
#include "interop/parameters/patch_convolution.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

TensorList tensors_of(const VisionTransformer& model) {
  const VisionOptions& options = model.options;
  const int64_t d = options.layer.d_model;
  ListingWalk walk;
  walk_huggingface(walk, model);
  const Tensor table =
      model.plane ? model.plane : position_table(model.body.positions, options.tokens(), d);
  walk.tensor("vit.embeddings.cls_token", model.cls.reshaped({1, 1, d}));
  walk.tensor("vit.embeddings.position_embeddings", table.reshaped({1, options.tokens(), d}));
  walk.tensor("vit.embeddings.patch_embeddings.projection.weight",
              patch_convolution(model.patches.weight, options.patch, options.channels));
  return std::move(walk.list);
}

std::string config_text(const ExportedImageModel& from) {
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
  return config.dump(2) + "\n";
}

Json size_of(int64_t height, int64_t width) { return {{"height", height}, {"width", width}}; }

std::string processor_text(const ExportedImageModel& from) {
  const ImageFit& fit = from.fit;
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
  config["image_mean"] = from.mean;
  config["image_std"] = from.deviation;
  return config.dump(2) + "\n";
}

constexpr std::string_view vit_readme = R"(# An image classifier for Hugging Face transformers

```python
from PIL import Image
from transformers import pipeline
classify = pipeline("image-classification", "PATH OF THIS FOLDER")
print(classify(Image.open("image.png")))
```
)";

}  // namespace

void export_huggingface(const ExportedImageModel& from, const std::string& out) {
  require_exportable(ExportFormat::huggingface, from.config, out);
  ExportFolder folder(out);
  folder.write("config.json", config_text(from));
  folder.write("preprocessor_config.json", processor_text(from));
  folder.write_safetensors("model.safetensors", tensors_of(from.model), "pt");
  folder.write("README.md", vit_readme);
  folder.finish();
}

}  // namespace calque
