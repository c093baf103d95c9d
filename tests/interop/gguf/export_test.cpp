// The file for llama.cpp, read back by parse_gguf(). check_gguf.mjs in this folder compares it with
// llama.cpp itself.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "interop/export_to.h"
#include "interop/gguf/file.h"
#include "support/message_of.h"

namespace calque {
namespace {

GgufFile exported(LanguageModelOptions options, std::string_view type = "",
                  const TurnOptions& turns = {}) {
  options.vocabulary = ByteModel::vocabulary_size;
  options.layers = 1;
  Parameters parameters;
  const LanguageModel model(Path(parameters), options);
  parameters.allocate();
  parameters.initialise(3);
  Config config;
  config.task = TaskKind::language_model;
  config.tokenizer.kind = TokenizerKind::bytes;
  config.data.turns = turns;
  static_cast<LayerOptions&>(config.model) = options.layer;
  const Tokenizer bytes(ByteModel{}, {.kind = TokenizerKind::bytes});
  const TemporaryFolder folder;
  export_to("gguf", {config, {bytes}}, model, folder.path("gguf"), type);
  return parse_gguf(folder.read("gguf/model.gguf"), "model.gguf");
}

const Tensor& tensor_of(const GgufFile& file, std::string_view name) {
  const auto found = std::ranges::find(file.tensors, name, &ListedTensor::name);
  REQUIRE(found != file.tensors.end());
  return found->tensor;
}

LayerOptions small_llama() {
  return {.d_model = 16,
          .d_ff = 8,
          .heads = 2,
          .positions = PositionKind::rotary,
          .max_positions = 32,
          .norm_placement = NormPlacement::pre,
          .norm_kind = NormKind::rms,
          .activation = Activation::swiglu};
}

TEST_CASE("a GGUF file has the format's header, values and aligned tensors, byte for byte") {
  using namespace std::string_literals;
  const GgufFile file{{{"k", uint32_t{5}}}, {{"t", Tensor::of({1, 2}, {0, 0})}}};
  std::string expected =
      "GGUF\3\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
      "\1\0\0\0\0\0\0\0k\4\0\0\0\5\0\0\0"
      "\1\0\0\0\0\0\0\0t\2\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s;
  expected.resize((expected.size() + 31) / 32 * 32 + 32);
  CHECK(gguf_bytes(file) == expected);
}

TEST_CASE("a GGUF file that is cut off is refused with its name") {
  const std::string bytes =
      gguf_bytes({{{"k", std::vector<std::string>{"a", "b"}}}, {{"t", Tensor::full({2, 3}, 1)}}});
  for (size_t length = 0; length + 8 < bytes.size(); ++length) {  // the last 8 bytes are padding
    const std::string cut = bytes.substr(0, length);
    CHECK(message_of<Error>([&] { parse_gguf(cut, "m.gguf"); }).starts_with("m.gguf: "));
  }
}

TEST_CASE("a GGUF tensor whose sizes overflow is refused, even if one of them is 0") {
  std::string bytes = "GGUF";
  const auto append = [&](auto number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  append(uint32_t{3});
  append(uint64_t{1});  // tensors
  append(uint64_t{0});  // values
  append(uint64_t{1});
  bytes += 'x';
  append(uint32_t{4});
  append(uint64_t{0});
  for (int axis = 0; axis < 3; ++axis) append(uint64_t{UINT32_MAX});
  append(uint32_t{0});  // float32
  append(uint64_t{0});
  bytes.resize(256);
  CHECK(message_of<Error>([&] { parse_gguf(bytes, "m.gguf"); }) ==
        "m.gguf: has a tensor that is too large; it is not a GGUF file that calque reads");
}

TEST_CASE("the queries of a Llama in GGUF have the two halves of each head interleaved") {
  const GgufFile file = exported({.layer = small_llama()});
  // Row 2 k of a head of 8 rows is calque's row k, and row 2 k + 1 is calque's row k + 4.
  const Tensor& query = tensor_of(file, "blk.0.attn_q.weight");
  CHECK(query.shape() == Shape{16, 16});
  Parameters parameters;
  LanguageModelOptions options{.layer = small_llama()};
  options.vocabulary = ByteModel::vocabulary_size;
  options.layers = 1;
  const LanguageModel model(Path(parameters), options);
  parameters.allocate();
  parameters.initialise(3);
  const Tensor& qkv = model.stack.layers[0].self_attention.qkv.weight;  // [16, 48]
  CHECK(query.data()[0 * 16 + 2] == qkv.data()[2 * 48 + 0]);
  CHECK(query.data()[1 * 16 + 2] == qkv.data()[2 * 48 + 4]);
  CHECK(query.data()[10 * 16 + 3] == qkv.data()[3 * 48 + 9]);
  CHECK(query.data()[11 * 16 + 3] == qkv.data()[3 * 48 + 13]);
}

TEST_CASE("a GPT-2 in GGUF has the glyphs of all bytes as tokens, each once") {
  LayerOptions layer = small_llama();
  layer.positions = PositionKind::learned;
  layer.norm_kind = NormKind::layer;
  layer.activation = Activation::gelu;
  const GgufFile file = exported({.layer = layer});
  CHECK(tensor_of(file, "position_embd.weight").shape() == Shape{32, 16});
  for (const auto& [key, value] : file.values) {
    if (key != "tokenizer.ggml.tokens") continue;
    auto tokens = std::get<std::vector<std::string>>(value);
    REQUIRE(tokens.size() == 259);
    CHECK(tokens[ByteModel::id_of('A')] == "A");
    CHECK(tokens[ByteModel::id_of(' ')] == "\u0120");
    CHECK(tokens[ByteModel::id_of('\n')] == "\u010A");
    CHECK(tokens[ByteModel::id_of(0xAD)] == "\u0143");
    CHECK(tokens[ByteModel::id_of(0xFF)] == "\u00FF");
    std::ranges::sort(tokens);
    CHECK(std::ranges::adjacent_find(tokens) == tokens.end());
  }
}

TEST_CASE("a type of numbers rounds matrices, and leaves norms and positions as they are") {
  LayerOptions layer = small_llama();
  layer.d_model = 32;  // a row of attention is one block; rows of d_ff = 8 are none
  const GgufFile exact = exported({.layer = layer});
  const auto largest_difference = [&](std::string_view type, std::string_view name) {
    const GgufFile rounded = exported({.layer = layer}, type);
    const Tensor &x = tensor_of(exact, name), &y = tensor_of(rounded, name);
    real most = 0;
    for (int64_t i = 0; i < x.size(); ++i) {
      most = std::max(most, std::abs(x.data()[i] - y.data()[i]));
    }
    return most / *std::ranges::max_element(x.span());
  };
  const char* const query = "blk.0.attn_q.weight";
  CHECK(largest_difference("float32", query) == 0);
  CHECK(largest_difference("float16", query) <= real{1} / 2048);
  CHECK(largest_difference("bfloat16", query) <= real{1} / 256);
  CHECK(largest_difference("q8_0", query) <= real{1} / 250);
  CHECK(largest_difference("q4_0", query) > real{1} / 250);
  CHECK(largest_difference("q4_0", query) <= real{1} / 7);
  CHECK(largest_difference("q4_0", "token_embd.weight") <= real{1} / 250);
  CHECK(largest_difference("q4_0", "blk.0.ffn_down.weight") == 0);
  CHECK(largest_difference("float16", "blk.0.attn_norm.weight") == 0);
  CHECK(message_of<Error>([&] { exported({.layer = layer}, "q5_0"); }) ==
        "gguf cannot store numbers as q5_0; it can as float32, float16, bfloat16, q8_0, q4_0");
}

TEST_CASE("the file of a chat model has its template and the token that ends an answer") {
  LanguageModelOptions options{.layer = small_llama()};
  const auto value = [](const GgufFile& file, std::string_view key) -> const GgufValue* {
    const auto found =
        std::ranges::find(file.values, key, &std::pair<std::string, GgufValue>::first);
    return found == file.values.end() ? nullptr : &found->second;
  };
  CHECK(value(exported(options), "tokenizer.chat_template") == nullptr);
  const GgufFile chat = exported(options, "", {TurnFormat::chatml, "Be kind."});
  REQUIRE(value(chat, "tokenizer.chat_template"));
  CHECK(std::get<std::string>(*value(chat, "tokenizer.chat_template")) ==
        template_of_turns({TurnFormat::chatml, "Be kind."}));
}

}  // namespace
}  // namespace calque
