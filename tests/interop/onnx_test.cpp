// The graphs for ONNX, read back as protocol buffers. check_onnx.py and check_onnx.mjs in this
// folder compare them with ONNX Runtime and transformers.js themselves.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "data/files/protobuf.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"
#include "interop/export_to.h"
#include "interop/onnx/translator.h"
#include "interop/small_translator.h"
#include "support/message_of.h"

namespace calque {
namespace {

// The parts of a model's graph. The numbers of the fields are those of onnx.proto.
struct ReadGraph {
  std::vector<std::string> inputs, outputs, ops;
  size_t constants = 0, numbers = 0;  // the number of tensors, and the bytes of all their values

  explicit ReadGraph(std::string_view model) {
    for (ProtobufFields fields(model); fields.next();) {
      if (fields.number == 7) read(fields.text);
    }
  }

 private:
  static std::string text_of(std::string_view message, uint64_t number) {
    for (ProtobufFields fields(message); fields.next();) {
      if (fields.number == number) return std::string(fields.text);
    }
    return {};
  }
  void read(std::string_view graph) {
    for (ProtobufFields fields(graph); fields.next();) {
      switch (fields.number) {
        case 1:
          ops.push_back(text_of(fields.text, 4));
          break;
        case 5:
          ++constants;
          numbers += text_of(fields.text, 9).size();
          break;
        case 11:
          inputs.push_back(text_of(fields.text, 1));
          break;
        case 12:
          outputs.push_back(text_of(fields.text, 1));
          break;
        default:
          break;
      }
    }
  }
};

int64_t count(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::count(names, name);
}

TEST_CASE("the encoder for ONNX has the inputs and outputs of transformers.js") {
  const SmallTranslator small(small_options());
  const ReadGraph graph(onnx_encoder(small.model, 16));
  CHECK(graph.inputs == std::vector<std::string>{"input_ids", "attention_mask"});
  CHECK(graph.outputs == std::vector<std::string>{"encoder_attentions.0", "last_hidden_state"});
  CHECK(count(graph.ops, "LayerNormalization") == 2);
  CHECK(count(graph.ops, "Softmax") == 1);
}

TEST_CASE("the decoder for ONNX takes and returns the cache of every layer") {
  TransformerOptions options = small_options();
  options.decoder_layers = 2;
  const SmallTranslator small(options);
  const ReadGraph graph(onnx_decoder(small.model, 16));
  for (const char* layer : {"0", "1"}) {
    for (const char* what : {"key", "value"}) {
      const std::string name = std::string(".") + layer + ".decoder." + what;
      CHECK(count(graph.inputs, "past_key_values" + name) == 1);
      CHECK(count(graph.outputs, "present" + name) == 1);
    }
    CHECK(count(graph.outputs, std::string("cross_attentions.") + layer) == 1);
  }
  CHECK(graph.outputs.back() == "logits");
}

TEST_CASE("the decoder for ONNX stores a tied table once") {
  TransformerOptions options = small_options();
  const SmallTranslator tied(options);
  options.tying = Tying::target;
  const SmallTranslator target(options);
  options.tying = Tying::none;
  const SmallTranslator none(options);
  const size_t table = 6 * 8 * sizeof(float);
  const ReadGraph once(onnx_decoder(tied.model, 16)), twice(onnx_decoder(none.model, 16));
  CHECK(ReadGraph(onnx_decoder(target.model, 16)).numbers == once.numbers);
  CHECK(twice.numbers == once.numbers + table);
}

TEST_CASE("rotary positions, RMSNorm and SwiGLU are nodes of the graph for ONNX") {
  TransformerOptions options = small_options();
  options.layer.positions = PositionKind::rotary;
  options.layer.norm_kind = NormKind::rms;
  options.layer.activation = Activation::swiglu;
  const SmallTranslator small(options);
  const ReadGraph graph(onnx_encoder(small.model, 16));
  CHECK(count(graph.ops, "LayerNormalization") == 0);
  CHECK(count(graph.ops, "ReduceMean") == 2);
  CHECK(count(graph.ops, "Sigmoid") == 1);
  CHECK(count(graph.ops, "Split") == 4);  // q, k, v; halves of q; halves of k; gate and value
}

TEST_CASE("the export to ONNX writes the files of transformers.js, and refuses two vocabularies") {
  SmallTranslator small(small_options());
  small.config.tokenizer.kind = TokenizerKind::bpe;
  const Tokenizer pieces = train_tokenizer({"eins zwei drei", "drei zwei eins", "zweiunddreissig"},
                                           {.kind = TokenizerKind::bpe}, {.vocabulary_size = 24});
  const TemporaryFolder folder;
  export_to("onnx", {small.config, {pieces}}, small.model, folder.path("onnx"));
  CHECK(std::filesystem::exists(folder.path("onnx/onnx/decoder_model_merged.onnx")));
  const auto tokenizer = nlohmann::json::parse(folder.read("onnx/tokenizer.json"));
  CHECK(tokenizer["post_processor"]["single"].size() == 2);
  CHECK(tokenizer["post_processor"]["single"][1]["SpecialToken"]["id"] == "</s>");
  const auto generation = nlohmann::json::parse(folder.read("onnx/generation_config.json"));
  CHECK(generation["bad_words_ids"] == nlohmann::json{{1}, {0}});

  small.config.tokenizer.joint = false;
  CHECK(message_of([&] {
          export_to("onnx", {small.config, {pieces}}, small.model, folder.path("two"));
        }) == folder.path("two") +
                  ": not exported: tokenizer.joint is false, which onnx cannot hold; ctranslate2, "
                  "huggingface, numpy, safetensors can");
}

}  // namespace
}  // namespace calque
