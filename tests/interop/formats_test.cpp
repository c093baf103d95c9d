// Which models the formats refuse, and the messages.
#include "interop/formats.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "support/message_of.h"

namespace calque {
namespace {

std::vector<std::string> keys_of(std::string_view format, const Config& config) {
  std::vector<std::string> keys;
  for (const Obstacle& obstacle : obstacles(format_named(format), config))
    keys.push_back(obstacle.key);
  return keys;
}

TEST_CASE(
    "the default translator can be exported to every format but those of GGUF, M2M100, Marian and "
    "PEFT") {
  for (const std::string& format : format_names()) {
    CAPTURE(format);
    const bool other =
        format != "gguf" && format != "m2m100" && format != "marian" && format != "peft";
    CHECK(keys_of(format, {}).empty() == other);
  }
}

TEST_CASE("a translator for Marian needs Marian's decoder start, positions and norms") {
  Config config;
  CHECK(keys_of("marian", config) ==
        std::vector<std::string>{"model.decoder_start", "model.positions", "model.norm_epsilon"});
  config.model.decoder_start = DecoderStart::zero;
  config.model.positions = PositionKind::t2t;
  config.model.norm_epsilon = real(1e-6);
  CHECK(keys_of("marian", config).empty());
  CHECK(keys_of("ctranslate2", config).empty());
  CHECK(keys_of("onnx", config).empty());
  CHECK(keys_of("huggingface", config) ==
        std::vector<std::string>{"model.norm_epsilon", "model.decoder_start"});
  config.model.positions = PositionKind::none;
  CHECK(keys_of("marian", config) == std::vector<std::string>{"model.scale_embeddings"});
  config.model.scale_embeddings = false;
  CHECK(keys_of("marian", config).empty());
  config.model.norm_placement = NormPlacement::pre;
  CHECK(keys_of("marian", config) == std::vector<std::string>{"model.norm"});
  config.model.norm_placement = NormPlacement::post;
  config.model.activation = Activation::gelu;
  config.tokenizer.kind = TokenizerKind::words;
  config.data.lowercase = true;
  CHECK(keys_of("marian", config) ==
        std::vector<std::string>{"model.activation", "data.nfkc", "data.lowercase"});
}

TEST_CASE("among the engines, only CTranslate2 accepts sources without </s>") {
  Config config;
  config.model.source_end = false;
  CHECK(keys_of("ctranslate2", config).empty());
  CHECK(keys_of("numpy", config).empty());
  const std::vector<std::string> refused = {"model.source_end"};
  CHECK(keys_of("huggingface", config) == refused);
  CHECK(keys_of("onnx", config) == refused);
  config.model.decoder_start = DecoderStart::zero;
  config.model.positions = PositionKind::t2t;
  config.model.norm_epsilon = real(1e-6);
  CHECK(keys_of("marian", config) == refused);
  CHECK(keys_of("ctranslate2", config) == refused);
}

TEST_CASE("a language model is a GPT-2, a GPT-NeoX or a Llama, or is refused") {
  Config config;
  config.task = TaskKind::language_model;
  config.model.norm_placement = NormPlacement::pre;
  config.model.activation = Activation::gelu;
  config.tokenizer.kind = TokenizerKind::bytes;
  for (const char* format : {"huggingface", "gguf"}) {
    Config own = config;
    CHECK(keys_of(format, own).empty());
    own.model.norm_kind = NormKind::rms;
    CHECK(keys_of(format, own) == std::vector<std::string>{"model.norm_kind"});
    own.model.positions = PositionKind::rotary;
    CHECK(keys_of(format, own) == std::vector<std::string>{"model.activation"});
    own.model.activation = Activation::swiglu;
    CHECK(keys_of(format, own).empty());
    own.model.norm_kind = NormKind::layer;
    CHECK(keys_of(format, own) == std::vector<std::string>{"model.activation"});
    own.model.activation = Activation::gelu;
    CHECK(keys_of(format, own).empty());
  }
  config.tokenizer.kind = TokenizerKind::characters;
  CHECK(keys_of("huggingface", config).empty());
  CHECK(keys_of("gguf", config) == std::vector<std::string>{"tokenizer.kind"});
}

TEST_CASE("PEFT holds an adapter of a language model whose output has a bias") {
  Config config;
  config.task = TaskKind::language_model;
  config.tokenizer.kind = TokenizerKind::bytes;
  config.model.norm_placement = NormPlacement::pre;
  config.model.norm_kind = NormKind::rms;
  config.model.activation = Activation::swiglu;
  config.model.positions = PositionKind::rotary;
  config.model.adapter.kind = AdapterKind::lora;
  config.model.output_bias = true;
  CHECK(keys_of("peft", config).empty());
  for (const char* format : {"huggingface", "gguf"}) {
    CHECK(keys_of(format, config) == std::vector<std::string>{"model.output_bias"});
    Config imported = config;
    imported.tokenizer.files = {"tokenizer.json"};
    CHECK(keys_of(format, imported).empty());  // the export looks at the numbers of the bias
  }
}

TEST_CASE("each setting that transformers cannot hold is named") {
  Config config;
  config.model.norm_kind = NormKind::rms;
  config.model.activation = Activation::swiglu;
  config.model.positions = PositionKind::rotary;
  config.model.norm_epsilon = real(1e-6);
  config.tokenizer.kind = TokenizerKind::words;
  config.data.lowercase = true;
  CHECK(keys_of("huggingface", config) ==
        std::vector<std::string>{"model.norm_kind", "model.activation", "model.positions",
                                 "model.norm_epsilon", "tokenizer.kind", "data.lowercase"});
  CHECK(keys_of("ctranslate2", config).empty());
}

TEST_CASE("a pre-norm translator with two tables of embeddings has no class in transformers") {
  Config config;
  config.model.tied = Tying::target;
  CHECK(keys_of("huggingface", config).empty());
  config.model.norm_placement = NormPlacement::pre;
  CHECK(keys_of("huggingface", config) == std::vector<std::string>{"model.tied"});
}

TEST_CASE("a translator for M2M100 has several languages, pre-norm and positions from 2 on") {
  Config config;
  CHECK(keys_of("m2m100", config) ==
        std::vector<std::string>{"data.multilingual", "model.norm", "model.positions"});
  config.data.multilingual = true;
  config.model.norm_placement = NormPlacement::pre;
  config.model.positions = PositionKind::fairseq;
  CHECK(keys_of("m2m100", config).empty());
  CHECK(keys_of("huggingface", config).empty());
  config.model.output_bias = true;
  config.model.tied = Tying::target;
  CHECK(keys_of("m2m100", config) == std::vector<std::string>{"model.tied", "model.output_bias"});
}

TEST_CASE("a refusal names the setting and the formats that can hold the model") {
  Config config;
  config.model.positions = PositionKind::rotary;
  CHECK(message_of<Error>(
            [&] { require_exportable(format_named("huggingface"), config, "runs/x"); }) ==
        "runs/x: not exported: model.positions is rotary, which huggingface cannot hold; "
        "ctranslate2, onnx, numpy, safetensors can");
  config.model.experts.count = 4;
  CHECK(keys_of("ctranslate2", config) == std::vector<std::string>{"model.experts"});
  config.model.experts.count = 0;
  config.model.attention.window = 8;
  config.model.qk_norm = true;
  CHECK(keys_of("ctranslate2", config) ==
        std::vector<std::string>{"model.attention", "model.qk_norm"});
}

}  // namespace
}  // namespace calque
