// Imports of Vision Transformers from transformers: folders that calque exports, and changed ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/tape.h"
#include "data/temporary_folder.h"
#include "interop/change_json.h"
#include "interop/export_to.h"
#include "interop/huggingface/format.h"
#include "interop/huggingface/small_bert.h"
#include "interop/same_files.h"
#include "support/message_of.h"

namespace calque {
namespace {

using Json = nlohmann::json;

VisionOptions small_vision() {
  VisionOptions options;
  options.layer = {.d_model = 4,
                   .d_ff = 6,
                   .heads = 2,
                   .positions = PositionKind::learned,
                   .norm_placement = NormPlacement::pre};
  options.layers = 2;
  options.height = 4;
  options.width = 6;
  options.channels = 3;
  options.patch = 2;
  options.head.classes = 3;
  return options;
}

struct VisionNetwork {
  Parameters parameters;
  VisionTransformer model;

  explicit VisionNetwork(const VisionOptions& options) : model(Path(parameters), options) {
    parameters.allocate();
  }
};

struct VisionFolder {
  TemporaryFolder folder;
  Config config;
  std::vector<std::string> labels = {"cross", "disc", "square"};
  ImagePreparation preparation = {ImageFit({4, 6, 3}), {0.1, 0.2, 0.3}, {0.5, 0.6, 0.7}};
  VisionNetwork network;

  explicit VisionFolder(const VisionOptions& options = small_vision()) : network(options) {
    config.task = TaskKind::images;
    static_cast<LayerOptions&>(config.model) = options.layer;
    config.model.layers = options.layers;
    config.model.patch = options.patch;
    config.model.pooling = Pooling::cls;
    fill_randomly(network.parameters);
    export_to("huggingface", {config, {}, labels, preparation}, network.model, folder.path("hf"));
  }

  void set(const std::string& file, const std::string& key, const Json& value) const {
    change_json(folder, "hf/" + file, key, value);
  }
  Imported<VisionTransformer> import() const {
    return std::get<Imported<VisionTransformer>>(import_huggingface(folder.path("hf")));
  }
  static VisionNetwork filled(const Imported<VisionTransformer>& from) {
    VisionOptions options = small_vision();
    options.layer = from.config.model;
    options.layers = from.config.model.layers;
    options.height = from.preparation.fit.shape.height;
    options.width = from.preparation.fit.shape.width;
    options.channels = from.preparation.fit.shape.channels;
    options.patch = from.config.model.patch;
    VisionNetwork again(options);
    from.fill(again.model);
    return again;
  }
  std::string refusal() const {
    const std::string message = message_of<Error>([&] { filled(import()); });
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
};

Tensor logits_of(const VisionTransformer& model) {
  const NoGradient nothing_recorded;
  const Tensor images({2, model.options.pixels()});
  for (int64_t i = 0; i < images.size(); ++i) images.data()[i] = real(i % 7) / 7;
  return model.head.logits(model.pooled(images, Mode::evaluate));
}

TEST_CASE("a Vision Transformer that is imported and exported again has the same bytes") {
  VisionOptions options = small_vision();
  SUBCASE("learned positions") {}
  SUBCASE("positions in a plane") { options.layer.positions = PositionKind::plane; }
  SUBCASE("sinusoids") { options.layer.positions = PositionKind::interleaved; }
  SUBCASE("no positions") { options.layer.positions = PositionKind::none; }
  SUBCASE("another activation, dropout") {
    options.layer.activation = Activation::gelu;
    options.layer.dropout = real(0.2);
    options.layer.attention_dropout = real(0.1);
    options.layer.norm_epsilon = real(1e-12);
  }
  const VisionFolder own(options);
  const Imported<VisionTransformer> from = own.import();
  CHECK(from.labels == own.labels);
  CHECK(from.preparation == own.preparation);
  CHECK(from.config.model.positions == options.layer.positions);
  const VisionNetwork again = VisionFolder::filled(from);
  CHECK(std::ranges::equal(logits_of(again.model).span(), logits_of(own.network.model).span()));
  export_to("huggingface", from, again.model, own.folder.path("again"));
  check_same_files(own.folder, "hf", "again");
}

TEST_CASE("the mean and deviation of an imported processor include its rescale_factor") {
  const VisionFolder own;
  const std::string file = "preprocessor_config.json";
  std::vector<double> mean = {0.1 / 255, 0.2 / 255, 0.3 / 255},
                      deviation = {0.5 / 255, 0.6 / 255, 0.7 / 255};
  SUBCASE("no rescaling") { own.set(file, "do_rescale", false); }
  SUBCASE("two over 255") {
    own.set(file, "rescale_factor", 2 / 255.0);
    mean = {0.05, 0.1, 0.15};
    deviation = {0.25, 0.3, 0.35};
  }
  SUBCASE("no mean") {
    own.set(file, "do_normalize", false);
    mean = {0, 0, 0};
    deviation = {1, 1, 1};
  }
  SUBCASE("one number for all channels") {
    own.set(file, "image_mean", 0.5);
    own.set(file, "image_std", 0.25);
    mean = {0.5, 0.5, 0.5};
    deviation = {0.25, 0.25, 0.25};
  }
  const Imported<VisionTransformer> from = own.import();
  for (size_t k = 0; k < 3; ++k) {
    CHECK(from.preparation.mean[k] == doctest::Approx(mean[k]).epsilon(1e-12));
    CHECK(from.preparation.deviation[k] == doctest::Approx(deviation[k]).epsilon(1e-12));
  }
}

TEST_CASE("an imported processor decides how images are resized") {
  VisionFolder own;
  const std::string file = "preprocessor_config.json";
  SUBCASE("without a size") { own.set(file, "size", nullptr); }
  SUBCASE("not at all") {
    own.set(file, "do_resize", false);
    own.set(file, "resample", 0);
  }
  SUBCASE("bicubic") {
    own.set(file, "resample", 3);
    own.preparation.fit.interpolation = Interpolation::bicubic;
  }
  SUBCASE("the center of a larger image") {
    own.set(file, "size", {{"height", 8}, {"width", 9}});
    own.set(file, "crop_size", {{"height", 4}, {"width", 6}});
    own.set(file, "do_center_crop", true);
    own.preparation.fit.height = 8;
    own.preparation.fit.width = 9;
  }
  const Imported<VisionTransformer> from = own.import();
  CHECK(from.preparation.fit == own.preparation.fit);
  export_to("huggingface", from, own.network.model, own.folder.path("again"));
  std::filesystem::remove_all(own.folder.path("hf"));
  std::filesystem::rename(own.folder.path("again"), own.folder.path("hf"));
  CHECK(own.import().preparation.fit == own.preparation.fit);
}

TEST_CASE("a label that several classes have gets the class numbers appended") {
  const VisionFolder own;
  own.set("config.json", "id2label", {{"0", "crane"}, {"1", "ant"}, {"2", "crane"}});
  CHECK(own.import().labels == std::vector<std::string>{"ant", "crane (0)", "crane (2)"});
}

TEST_CASE("a Vision Transformer that calque cannot represent is refused in one line") {
  const VisionFolder own;
  const std::string file = own.folder.path("hf/config.json") + ": ";
  const std::string processor = own.folder.path("hf/preprocessor_config.json");
  SUBCASE("oblong patches") {
    own.set("config.json", "patch_size", {2, 1});
    CHECK(own.refusal() == file + "patch_size is 2 x 1; calque has square patches");
  }
  SUBCASE("patches that do not fit") {
    own.set("config.json", "patch_size", 4);
    CHECK(own.refusal() == file + "patch_size is 4, which does not divide images of 6 x 4");
  }
  SUBCASE("no size") {
    own.set("config.json", "image_size", Json::array());
    CHECK(own.refusal() == file + "image_size must be one or two numbers from 1 to 4096");
  }
  SUBCASE("a huge size") {
    own.set("config.json", "image_size", int64_t{1} << 40);
    CHECK(own.refusal() == file + "image_size must be one or two numbers from 1 to 4096");
  }
  SUBCASE("another size") {
    own.set("config.json", "image_size", {4, 8});
    own.set("preprocessor_config.json", "size", nullptr);
    CHECK(own.refusal().find("position_embeddings is [1, 7, 4]") != std::string::npos);
  }
  SUBCASE("two channels") {
    own.set("config.json", "num_channels", 2);
    CHECK(own.refusal() == file + "num_channels is 2; calque has 1 and 3");
  }
  SUBCASE("more layers than the file has") {
    own.set("config.json", "num_hidden_layers", 1000);
    CHECK(own.refusal().find("vit.encoder.layer.") != std::string::npos);
  }
  SUBCASE("a mean of two channels") {
    own.set("preprocessor_config.json", "image_mean", {0.5, 0.5});
    CHECK(own.refusal() == processor + ": image_mean must be 3 numbers");
  }
  SUBCASE("a mean of words") {
    own.set("preprocessor_config.json", "image_mean", {"a", "b", "c"});
    CHECK(own.refusal() == processor + ": image_mean must be numbers");
  }
  SUBCASE("resized to another size") {
    own.set("preprocessor_config.json", "size", 8);
    CHECK(own.refusal() == processor + ": size is 8 x 8, but the model reads images of 6 x 4");
  }
  SUBCASE("another size is cut out") {
    own.set("preprocessor_config.json", "do_center_crop", true);
    own.set("preprocessor_config.json", "crop_size", 4);
    CHECK(own.refusal() == processor + ": crop_size is 4 x 4, but the model reads images of 6 x 4");
  }
  SUBCASE("one edge is resized") {
    own.set("preprocessor_config.json", "size", {{"shortest_edge", 4}});
    CHECK(own.refusal() == processor + ": size: height is missing");
  }
  SUBCASE("a center that is cut out without resizing") {
    own.set("preprocessor_config.json", "do_resize", false);
    own.set("preprocessor_config.json", "do_center_crop", true);
    CHECK(own.refusal() == processor + ": do_resize must be true with do_center_crop");
  }
  SUBCASE("nearest neighbours") {
    own.set("preprocessor_config.json", "resample", 0);
    CHECK(own.refusal() == processor + ": resample is 0; calque has 2 (bilinear) and 3 (bicubic)");
  }
  SUBCASE("a deviation of zero") {
    own.set("preprocessor_config.json", "image_std", {0, 0, 0});
    CHECK(own.refusal() == processor + ": image_std and rescale_factor must be positive numbers");
  }
  SUBCASE("no processor") {
    std::filesystem::remove(processor);
    CHECK(own.refusal() ==
          processor + ": is missing; it says how images are resized and normalised");
  }
}

}  // namespace
}  // namespace calque
