// The folder for CTranslate2, read back by parse_ct2(). check_ctranslate2.py in this folder
// compares it with CTranslate2 itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "interop/ctranslate2/file.h"
#include "interop/export_to.h"
#include "interop/small_translator.h"
#include "support/message_of.h"

namespace calque {
namespace {

Ct2Model exported(const TransformerOptions& options, bool int8) {
  const TemporaryFolder folder;
  const SmallTranslator small(options);
  export_to("ctranslate2", small.parts(), small.model, folder.path("ct2"), int8 ? "int8" : "");
  return parse_ct2(folder.read("ct2/model.bin"), "model.bin");
}

const Ct2Variable* find(const Ct2Model& model, const std::string& name) {
  const auto found = std::ranges::find(model.variables, name, &Ct2Variable::name);
  return found == model.variables.end() ? nullptr : &*found;
}

bool has_alias(const Ct2Model& model, const std::string& name) {
  return std::ranges::any_of(model.aliases, [&](const auto& alias) { return alias.first == name; });
}

template <class Number>
Number number_at(const Ct2Variable& variable, int64_t i) {
  Number number;
  std::memcpy(&number, variable.bytes.data() + i * static_cast<int64_t>(sizeof(number)),
              sizeof(number));
  return number;
}

TEST_CASE("model.bin has the format's header, variables and aliases, byte for byte") {
  const Ct2Model model{{ct2_integer("a", Ct2Type::int16, 2)}, {{"b", "a"}}};
  using namespace std::string_literals;
  CHECK(ct2_bytes(model) ==
        "\6\0\0\0\x10\0TransformerSpec\0\7\0\0\0\1\0\0\0"
        "\2\0a\0\0\2\2\0\0\0\2\0"
        "\1\0\0\0\2\0b\0\2\0a\0"s);
}

TEST_CASE("a model.bin that is cut off, or has bytes before or after it, is refused") {
  const std::string bytes = ct2_bytes({{ct2_variable("w", Tensor::full({2, 3}, 1))}, {}});
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::string cut = bytes.substr(0, length);
    CHECK(message_of<Error>([&] { parse_ct2(cut, "m.bin"); }).starts_with("m.bin: "));
  }
  CHECK(!message_of<Error>([&] { parse_ct2(bytes + "x", "m.bin"); }).empty());
  CHECK(!message_of<Error>([&] { parse_ct2("x" + bytes, "m.bin"); }).empty());
}

TEST_CASE("an export of integers reports the largest rounding") {
  const Ct2Model floats = exported(small_options(), false),
                 integers = exported(small_options(), true);
  float most = 0;
  for (const Ct2Variable& weight : integers.variables) {
    const Ct2Variable* scales = find(integers, weight.name + "_scale");
    if (scales == nullptr) continue;
    const Ct2Variable* own = find(floats, weight.name);
    REQUIRE(own);
    for (int64_t i = 0; i < std::ssize(weight.bytes); ++i) {
      const float rounded =
          number_at<int8_t>(weight, i) / number_at<float>(*scales, i / weight.sizes[1]);
      most = std::max(most, std::abs(number_at<float>(*own, i) - rounded));
    }
  }
  REQUIRE(most > 0);
  const TemporaryFolder folder;
  const SmallTranslator small(small_options());
  const Exported<Transformer> from{small.parts(), small.model};
  const auto remark = [&](const std::string& name, bool int8) {
    return export_model(format_named("ctranslate2"), from, folder.path(name), int8 ? "int8" : "");
  };
  CHECK(remark("int8", true)
            .starts_with(fmt::format("int8: the largest rounding is {:.2g}: ", most)));
  CHECK(remark("float", false).empty());
}

TEST_CASE("weight matrices are transposed for CTranslate2") {
  const SmallTranslator small(small_options());
  const Ct2Model model = exported(small_options(), false);
  const Ct2Variable* weight = find(model, "encoder/layer_0/ffn/linear_0/weight");
  REQUIRE(weight);
  CHECK(weight->sizes == std::vector<uint32_t>{12, 8});
  const Tensor& own = dense(small.model.encoder.layers[0].feed_forward).inner.weight;
  CHECK(number_at<float>(*weight, 5 * 8 + 3) == static_cast<float>(own.data()[3 * 12 + 5]));
}

TEST_CASE("tied tables are aliases in model.bin, and untied ones are not") {
  TransformerOptions options = small_options();
  const Ct2Model tied = exported(options, false);
  CHECK(has_alias(tied, "decoder/embeddings/weight"));
  CHECK(has_alias(tied, "decoder/projection/weight"));
  CHECK(has_alias(exported(options, true), "decoder/projection/weight_scale"));
  options.tying = Tying::none;
  const Ct2Model untied = exported(options, false);
  CHECK(untied.aliases.empty());
  CHECK(find(untied, "decoder/projection/weight"));
}

TEST_CASE("RMSNorm, SwiGLU and rotary positions have variables of their own in model.bin") {
  TransformerOptions options = small_options();
  options.layer.norm_kind = NormKind::rms;
  options.layer.norm_placement = NormPlacement::pre;
  options.layer.activation = Activation::swiglu;
  options.layer.positions = PositionKind::rotary;
  const Ct2Model model = exported(options, false);
  CHECK(find(model, "decoder/layer_0/ffn/linear_0_noact/weight"));
  CHECK(find(model, "decoder/layer_norm/gamma"));
  CHECK(!find(model, "decoder/layer_norm/beta"));
  CHECK(!find(model, "encoder/position_encodings/encodings"));
  const Ct2Variable* rotary = find(model, "encoder/layer_0/self_attention/rotary_dim");
  REQUIRE(rotary);
  CHECK(number_at<int32_t>(*rotary, 0) == 4);
}

TEST_CASE("int8 weights differ from the floats times their scales by a half at most") {
  const Tensor matrix = Tensor::of({3, 4}, {1, -2, 0.3F, 4, 0, 0, 0, 0, -1e-6F, 5e-7F, 0, 1e-7F});
  const auto [values, scales] = ct2_quantized("w", matrix);
  CHECK(scales.name == "w_scale");
  for (int64_t i = 0; i < 3; ++i) {
    const auto scale = number_at<float>(scales, i);
    for (int64_t j = 0; j < 4; ++j) {
      const int value = number_at<int8_t>(values, i * 4 + j);
      CHECK(std::abs(static_cast<float>(value) - scale * matrix.data()[i * 4 + j]) <= 0.5001F);
    }
  }
  CHECK(number_at<int8_t>(values, 3) == 127);
  CHECK(number_at<int8_t>(values, 8) == -127);
}

TEST_CASE("the vocabulary for CTranslate2 lists the tokens in the order of their ids") {
  const TemporaryFolder folder;
  const SmallTranslator small(small_options());
  export_to("ctranslate2", small.parts(), small.model, folder.path("ct2"));
  CHECK(nlohmann::json::parse(folder.read("ct2/shared_vocabulary.json")) ==
        nlohmann::json{"<unk>", "<s>", "</s>", "eins", "zwei", "drei"});
  const auto config = nlohmann::json::parse(folder.read("ct2/config.json"));
  CHECK(config["decoder_start_token"] == "<s>");
  CHECK(config["layer_norm_epsilon"].get<double>() == doctest::Approx(1e-5));
}

}  // namespace
}  // namespace calque
