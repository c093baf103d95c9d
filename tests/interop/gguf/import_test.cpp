// Imports of language models from GGUF files.
#include <doctest/doctest.h>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "interop/export_to.h"
#include "interop/gguf/format.h"
#include "interop/small_text.h"
#include "support/message_of.h"

namespace calque {
namespace {

void check_same_gguf(const Config& config, const Tokenizer& tokenizer) {
  const TemporaryFolder folder;
  const SmallText small(config, tokenizer);
  const auto write = [&](const SmallText& text, const std::string& out) {
    export_to("gguf", text.parts(), text.model, folder.path(out));
    return folder.read(out + "/model.gguf");
  };
  const std::string first = write(small, "first");
  Imported<LanguageModel> from = import_gguf(folder.path("first/model.gguf"));
  from.config.tokenizer.files = {"of the run"};
  const SmallText again(from.config, from.source());
  from.fill(again.model);
  CHECK(write(again, "second") == first);
  for (const char* text : {"the cat sat", "  two  spaces ", "Zwölf это 猫"}) {
    CHECK(from.source().decode(from.source().encode(text)).ends_with(text));
  }
}

TEST_CASE("a GGUF file that is imported and exported again has the same bytes") {
  Config config = small_text_config(LanguageModelShape::llama);
  config.tokenizer.kind = TokenizerKind::bytes;
  Tokenizer tokenizer = text_tokenizer(TokenizerKind::bytes);
  SUBCASE("Llama") {}
  SUBCASE("one table") { config.model.scale_embeddings = false; }
  SUBCASE("GPT-NeoX") {
    const Config own = config;
    config = small_text_config(LanguageModelShape::gpt_neox);
    config.tokenizer = own.tokenizer;
  }
  SUBCASE("GPT-2") {
    const Config own = config;
    config = small_text_config(LanguageModelShape::gpt2);
    config.tokenizer = own.tokenizer;
  }
  SUBCASE("SentencePiece") {
    config.tokenizer.kind = TokenizerKind::bpe;
    config.tokenizer.byte_fallback = true;
    config.data.nfkc = false;
    tokenizer = train_tokenizer(texts, {.kind = TokenizerKind::bpe, .nfkc = false},
                                {.vocabulary_size = 330, .byte_fallback = true});
  }
  check_same_gguf(config, tokenizer);
}

TEST_CASE("a GGUF file that calque cannot represent is refused in one line") {
  const SmallText small(small_text_config(LanguageModelShape::llama),
                        text_tokenizer(TokenizerKind::bytes));
  const TemporaryFolder folder;
  Config config = small.config;
  config.tokenizer.kind = TokenizerKind::bytes;
  export_to("gguf", {config, {small.tokenizer}}, small.model, folder.path("out"));
  GgufFile file = parse_gguf(folder.read("out/model.gguf"), "m.gguf");
  const auto set = [&](const std::string& key, const GgufValue& value) {
    for (auto& [own, old] : file.values) {
      if (own == key) old = value;
    }
  };
  const auto refused = [&] {
    return message_of<Error>([&] {
      const Imported<LanguageModel> from = import_gguf(file, "m.gguf");
      const SmallText filled(from.config, from.source());
      from.fill(filled.model);
    });
  };
  CHECK(refused().empty());
  SUBCASE("architecture") {
    set("general.architecture", "bert");
    CHECK(refused() ==
          "m.gguf: general.architecture is bert; calque imports llama, gptneox and gpt2");
  }
  SUBCASE("type") {
    set("llama.block_count", "two");
    CHECK(refused() == "m.gguf: llama.block_count is of another type");
  }
  SUBCASE("size") {
    set("llama.block_count", uint32_t{3});
    CHECK(refused() == "m.gguf: blk.2.attn_norm.weight is missing");
  }
  SUBCASE("rotation") {
    set("llama.rope.freq_base", 500000.0F);
    CHECK(refused() == "m.gguf: llama.rope.freq_base is 500000; calque has 10000");
  }
  SUBCASE("tokens") {
    set("tokenizer.ggml.token_type", std::vector<int32_t>{1});
    CHECK(refused() == "m.gguf: tokenizer.ggml.token_type must have as many entries as tokens");
  }
}

TEST_CASE("a quantized GGUF file is refused with the name of a tensor") {
  std::string bytes = gguf_bytes({{}, {{"token_embd.weight", Tensor::full({1, 32}, 1)}}});
  // The type follows the name, the number of axes and two sizes.
  const size_t type = bytes.find("token_embd.weight") + 17 + 4 + 16;
  bytes[type] = 8;
  CHECK(message_of<Error>([&] { parse_gguf(bytes, "m.gguf"); }) ==
        "m.gguf: token_embd.weight is quantized (type 8); calque imports floating-point numbers");
}

}  // namespace
}  // namespace calque
