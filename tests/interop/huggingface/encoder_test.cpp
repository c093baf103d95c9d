// The folders of encoders for transformers, read back as safetensors and JSON. check_encoder.py in
// this folder compares them with transformers itself.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "data/temporary_folder.h"
#include "interop/export_to.h"
#include "interop/small_translator.h"
#include "interop/tokenizers/json.h"
#include "support/message_of.h"
#include "train/storage/safetensors.h"

namespace calque {
namespace {

using Json = nlohmann::json;

std::vector<real> read_tensor(const std::string& path, const std::string& name) {
  const SafetensorsFile file(real_files(), path);
  std::map<std::string, std::vector<real>> tensors;
  std::vector<TensorSlot> slots;
  for (const TensorEntry& entry : file.table().entries) {
    int64_t size = 1;
    for (const int64_t side : entry.shape) size *= side;
    std::vector<real>& values = tensors[entry.name];
    values.resize(static_cast<size_t>(size));
    slots.push_back({entry.name, entry.shape, values});
  }
  file.read(slots);
  return tensors.at(name);
}

// A model with varied weights in place of its initial values.
template <class Model>
struct Small {
  Config config;
  Parameters parameters;
  Model model;

  explicit Small(const typename std::remove_cvref_t<decltype(Model::options)>& options)
      : model(Path(parameters), options) {
    parameters.allocate();
    real value = 0.5;
    for (const Parameters::Entry& entry : parameters.entries()) {
      for (int64_t i = 0; i < entry.tensor.size(); ++i) {
        entry.tensor.data()[i] = value = std::fmod(value * real(1.7) + real(0.1), real(1));
      }
    }
  }
};

EncoderOptions encoder_options() {
  EncoderOptions options;
  options.layer = {
      .d_model = 4, .d_ff = 6, .heads = 2, .positions = PositionKind::learned, .max_positions = 5};
  options.vocabulary = 7;
  options.layers = 2;
  return options;
}

Config bert_config_of(TaskKind task) {
  Config config;
  config.task = task;
  static_cast<LayerOptions&>(config.model) = encoder_options().layer;
  config.data.context = 5;
  config.tokenizer.kind = TokenizerKind::words;
  return config;
}

TEST_CASE("a masked language model is exported as BERT, with scaled embeddings") {
  const Small<MaskedLm> small({encoder_options()});
  const Config config = bert_config_of(TaskKind::masked_lm);
  const Tokenizer words = tokenizer_of({"eins", "zwei", "drei"});
  const TemporaryFolder folder;
  export_to("huggingface", {config, {words}}, small.model, folder.path("hf"));
  const Json written = Json::parse(folder.read("hf/config.json"));
  CHECK(written["model_type"] == "bert");
  CHECK(written["vocab_size"] == 7);
  CHECK(written["max_position_embeddings"] == 5);

  const std::string file = folder.path("hf/model.safetensors");
  const real* const table = small.model.encoder.embedding.weight.data();
  const auto embeddings = read_tensor(file, "bert.embeddings.word_embeddings.weight");
  const auto decoder = read_tensor(file, "cls.predictions.decoder.weight");
  for (size_t i = 0; i < embeddings.size(); ++i) {
    CHECK(embeddings[i] == doctest::Approx(2 * table[i]));  // times the root of d_model
    CHECK(decoder[i] == real(table[i]));
  }
  const auto segments = read_tensor(file, "bert.embeddings.token_type_embeddings.weight");
  CHECK(segments == std::vector<real>(4, real(0)));
  // Row 1 of the keys is column d + 1 of calque's matrix [d, 3 d].
  const Tensor qkv = small.model.encoder.body.stack.layers[1].self_attention.qkv.weight;
  const auto keys = read_tensor(file, "bert.encoder.layer.1.attention.self.key.weight");
  for (int64_t i = 0; i < 4; ++i) {
    CHECK(keys[static_cast<size_t>(4 + i)] == real(qkv.data()[i * 12 + 5]));
  }
}

TEST_CASE("a classifier is exported as BERT with its labels, but refused if it pools by the mean") {
  const Small<Classifier> small({encoder_options(), {.classes = 3}});
  Config config = bert_config_of(TaskKind::classification);
  const Tokenizer words = tokenizer_of({"eins", "zwei", "drei", "vier"});
  const std::vector<std::string> labels = {"a", "b", "c"};
  const TemporaryFolder folder;
  export_to("huggingface", {config, {words}, labels}, small.model, folder.path("hf"));
  const Json written = Json::parse(folder.read("hf/config.json"));
  CHECK(written["id2label"] == Json{{"0", "a"}, {"1", "b"}, {"2", "c"}});
  CHECK(read_tensor(folder.path("hf/model.safetensors"), "classifier.weight").size() == 12);

  config.model.pooling = Pooling::mean;
  CHECK(message_of([&] {
          export_to("huggingface", {config, {words}, labels}, small.model, folder.path("mean"));
        }) == folder.path("mean") +
                  ": not exported: model.pooling is mean, which huggingface cannot "
                  "hold; numpy, safetensors can");
}

TEST_CASE("an image model is exported as ViT, with the patch matrix as a convolution") {
  VisionOptions options;
  options.layer = {.d_model = 4,
                   .d_ff = 6,
                   .heads = 2,
                   .positions = PositionKind::plane,
                   .norm_placement = NormPlacement::pre};
  options.layers = 1;
  options.height = 2;
  options.width = 4;
  options.channels = 3;
  options.patch = 2;
  const Small<VisionTransformer> small(options);
  Config config;
  config.task = TaskKind::images;
  static_cast<LayerOptions&>(config.model) = options.layer;
  const std::vector<std::string> labels = {"cross", "disc"};
  const std::vector<double> mean = {0.1, 0.2, 0.3}, deviation = {0.5, 0.6, 0.7};
  const TemporaryFolder folder;
  const ImageFit fit({2, 4, 3});
  export_to("huggingface", {config, {}, labels, {fit, mean, deviation}}, small.model,
            folder.path("hf"));
  CHECK(Json::parse(folder.read("hf/preprocessor_config.json"))["image_std"] == deviation);

  // [output, channel, row, column] of the matrix [(row, column, channel), output].
  const std::string file = folder.path("hf/model.safetensors");
  const auto kernel = read_tensor(file, "vit.embeddings.patch_embeddings.projection.weight");
  const real* const matrix = small.model.patches.weight.data();
  const size_t output = 2, channel = 1, row = 1, column = 0;
  CHECK(kernel[((output * 3 + channel) * 2 + row) * 2 + column] ==
        real(matrix[((row * 2 + column) * 3 + channel) * 4 + output]));
  // The learned token has no position in the plane.
  const auto positions = read_tensor(file, "vit.embeddings.position_embeddings");
  CHECK(std::vector<real>(positions.begin(), positions.begin() + 4) ==
        std::vector<real>(4, real(0)));
  CHECK(positions[5] == real(1));  // cos 0, of row 0
}

TEST_CASE("the tokenizer.json of an encoder appends </s> and has [MASK]") {
  const Tokenizer words = tokenizer_of({"eins"});
  const Json plain = Json::parse(tokenizer_json(words));
  CHECK(plain["post_processor"]["single"].size() == 2);
  const Json masked = Json::parse(tokenizer_json(words, TextUse::masked));
  CHECK(masked["post_processor"]["single"].back()["SpecialToken"]["id"] == "</s>");
  CHECK(masked["added_tokens"].back()["content"] == "[MASK]");
  CHECK(masked["added_tokens"].back()["id"] == words.size());
  const Json pair =
      Json::parse(tokenizer_json(words, TextUse::classified))["post_processor"]["pair"];
  REQUIRE(pair.size() == 5);
  CHECK(pair[3]["Sequence"]["type_id"] == 1);
  CHECK(pair[4]["SpecialToken"]["type_id"] == 1);
}

}  // namespace
}  // namespace calque
