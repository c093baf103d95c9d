// Imports of translators from folders of CTranslate2.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/change_json.h"
#include "interop/ctranslate2/format.h"
#include "interop/export_to.h"
#include "interop/filled_translator.h"
#include "interop/small_translator.h"
#include "support/message_of.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

struct Ct2Original {
  TemporaryFolder folder;
  SmallTranslator small;

  explicit Ct2Original(const TransformerOptions& options, bool int8 = false) : small(options) {
    if (options.output_bias) small.model.output.bias.data()[5] = real(0.5);
    export_to("ctranslate2", small.parts(), small.model, place(), int8 ? "int8" : "");
  }
  std::string place() const { return folder.path("ct2"); }
  void change(const std::string& key, const Json& value) const {
    change_json(folder, "ct2/config.json", key, value);
  }
};

TEST_CASE("a CTranslate2 translator that is imported and exported again has the same bytes") {
  TransformerOptions options = small_options();
  SUBCASE("one table") {}
  SUBCASE("its own table for the source") { options.tying = Tying::target; }
  SUBCASE("three tables") { options.tying = Tying::none; }
  SUBCASE("a bias of the output") { options.output_bias = true; }
  SUBCASE("sinusoids in halves") { options.layer.positions = PositionKind::halves; }
  SUBCASE("pre-norm, not scaled") {
    options.layer.norm_placement = NormPlacement::pre;
    options.layer.scale_embeddings = false;
  }
  SUBCASE("rotation, RMSNorm and SwiGLU") {
    options.layer.positions = PositionKind::rotary;
    options.layer.norm_kind = NormKind::rms;
    options.layer.activation = Activation::swiglu;
  }
  SUBCASE("a decoder that starts from zeros") { options.decoder_start = DecoderStart::zero; }
  SUBCASE("sources without an end") { options.source_end = false; }
  SUBCASE("gelu of tanh") { options.layer.activation = Activation::gelu_tanh; }
  const Ct2Original original(options);
  const FilledTranslator filled(import_ctranslate2(original.place()));
  CHECK(filled.from.source().options().kind == TokenizerKind::words);
  export_to("ctranslate2", filled.from, filled.model, original.folder.path("again"));
  for (const char* name : {"model.bin", "config.json", "shared_vocabulary.json"}) {
    CAPTURE(name);
    CHECK(original.folder.read(std::string("again/") + name) ==
          original.folder.read(std::string("ct2/") + name));
  }
}

TEST_CASE("weights of 8 bits are imported with an error of at most half a quantization step") {
  const Ct2Original original(small_options(), true);
  const FilledTranslator filled(import_ctranslate2(original.place()));
  CHECK(filled.from.config.model.tied == Tying::all);
  const Tensor &exact = original.small.model.encoder.layers[0].self_attention.qkv.weight,
               &read = filled.model.encoder.layers[0].self_attention.qkv.weight;
  for (int64_t column = 0; column < exact.cols(); ++column) {
    real most = 0;
    for (int64_t row = 0; row < exact.rows(); ++row) {
      most = std::max(most, std::abs(exact.data()[row * exact.cols() + column]));
    }
    for (int64_t row = 0; row < exact.rows(); ++row) {
      const int64_t at = row * exact.cols() + column;
      CHECK(std::abs(exact.data()[at] - read.data()[at]) <= most / 127 * real(0.5001));
    }
  }
}

TEST_CASE("a model.bin of version 2 is parsed, and refused if it is cut off") {
  const auto text = [](std::string_view of) {
    const auto size = static_cast<uint16_t>(of.size() + 1);
    return std::string(reinterpret_cast<const char*>(&size), 2) + std::string(of) + '\0';
  };
  const auto number = [](uint32_t n) {
    return std::string(reinterpret_cast<const char*>(&n), sizeof n);
  };
  const std::string floats(8, '\0');
  const std::string bytes = number(2) + text("TransformerBase") + number(3) + number(2) +
                            text("a") + '\1' + number(2) + '\4' + number(2) + floats + text("b") +
                            std::string(1, '\0') + '\1' + number(1) + '\7';
  const Ct2Model model = parse_ct2(bytes, "m.bin");
  CHECK(model.specification == "TransformerBase");
  CHECK(model.revision == 3);
  REQUIRE(model.variables.size() == 2);
  CHECK(model.variables[0].type == Ct2Type::float32);
  CHECK(model.variables[0].bytes == floats);
  CHECK(model.variables[1].type == Ct2Type::int8);
  for (size_t end = 0; end < bytes.size(); ++end) {
    CHECK_THROWS_AS(parse_ct2(bytes.substr(0, end), "m.bin"), Error);
  }
}

TEST_CASE("a CTranslate2 folder that is damaged, or that calque cannot represent, is refused") {
  const Ct2Original original(small_options());
  const auto refused = [&] {
    return message_of<Error>(
        [&] { const FilledTranslator filled(import_ctranslate2(original.place())); });
  };
  CHECK(refused().empty());
  SUBCASE("sources that begin with <s>") {
    original.change("add_source_bos", true);
    CHECK(refused().ends_with("config.json: add_source_bos must be false"));
  }
  SUBCASE("an unk_token that is not in the vocabulary") {
    original.change("unk_token", "<u>");
    CHECK(refused().ends_with("has no <u>, which is unk_token in config.json"));
  }
  SUBCASE("a vocabulary that is no list") {
    original.folder.write("ct2/shared_vocabulary.json", "{}");
    CHECK(refused().ends_with("shared_vocabulary.json: must be a list of tokens"));
  }
  SUBCASE("more tokens than rows") {
    Json list = Json::parse(original.folder.read("ct2/shared_vocabulary.json"));
    list.push_back("vier");
    original.folder.write("ct2/shared_vocabulary.json", list.dump());
    CHECK(refused().ends_with("a table has 6 rows, fewer than the vocabulary has tokens"));
  }
  SUBCASE("cut off") {
    const std::string bytes = original.folder.read("ct2/model.bin");
    original.folder.write("ct2/model.bin", bytes.substr(0, bytes.size() / 2));
    CHECK(refused().ends_with(
        "model.bin: ends too early; it is not a CTranslate2 model that calque reads"));
  }
}

}  // namespace
}  // namespace calque
