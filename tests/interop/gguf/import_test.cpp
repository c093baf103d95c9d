// Imports of language models from GGUF files.
#include <doctest/doctest.h>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "interop/export_to.h"
#include "interop/gguf/format.h"
#include "interop/small_text.h"
#include "interop/tokenizers/vocabulary.h"
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
  CHECK(from.config.data.begin_windows);  // the file says that <s> begins a text
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
  SUBCASE("Qwen 2") { config.model = small_text_config(LanguageModelShape::qwen2).model; }
  SUBCASE("Qwen 3") { config.model = small_text_config(LanguageModelShape::qwen3).model; }
  SUBCASE("Gemma 3") {
    config.model = small_text_config(LanguageModelShape::gemma3).model;
    config.model.norm_kind = NormKind::rms;  // the file holds gains, not their distance from 1
  }
  SUBCASE("Llama 3") {
    config.model.kv_heads = 1;
    config.model.biases = BiasedLayers::none;
    config.model.rotation = {.base = 500000,
                             .scaling = {.kind = RotationScalingKind::llama3, .factor = 8}};
  }
  SUBCASE("linear scaling") {
    config.model.rotation.scaling = {.kind = RotationScalingKind::linear, .factor = 4};
  }
  SUBCASE("byte-level BPE") {
    config.tokenizer.kind = TokenizerKind::byte_pairs;
    tokenizer = byte_pair_tokenizer();
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

TEST_CASE("symbols that an imported model lacks are not exported to GGUF") {
  Config config = small_text_config(LanguageModelShape::qwen3);
  config.model.output_bias = true;
  config.tokenizer.kind = TokenizerKind::byte_pairs;
  config.tokenizer.files = {"of the run"};
  const TemporaryFolder folder;
  const SmallText small(config, byte_pair_tokenizer());
  small.exclude({unknown_id});
  export_to("gguf", small.parts(), small.model, folder.path("first"));
  const Imported<LanguageModel> from = import_gguf(folder.path("first/model.gguf"));
  CHECK(from.config.model.output_bias);
  const SmallText again(from.config, from.source());
  from.fill(again.model);
  CHECK(again.tokenizer.size() == small.tokenizer.size());
  CHECK(std::ranges::equal(again.logits("the cat sat").span(), small.logits("the cat sat").span()));
}

TEST_CASE("the spaces of user-defined tokens are spaces in GGUF, and marked in SentencePiece") {
  NewPieceModel pieces;
  pieces.normalization = {.dummy_prefix = false, .removes_spaces = false};
  pieces.pieces.push_back({"\u2581\u2581", 0, PieceKind::user_defined});
  for (int byte = 0; byte < 256; ++byte) {
    pieces.pieces.push_back({fmt::format("<0x{:02X}>", byte), 0, PieceKind::byte});
  }
  pieces.pieces.push_back({"\u2581", -1, PieceKind::normal});
  pieces.pieces.push_back({"a", -2, PieceKind::normal});
  const Tokenizer own(SentencePieceModel(piece_model_bytes(pieces), "test"),
                      {.kind = TokenizerKind::bpe, .nfkc = false});
  Config config = small_text_config(LanguageModelShape::llama);
  config.tokenizer.kind = TokenizerKind::bpe;
  config.tokenizer.byte_fallback = true;
  config.data.nfkc = false;
  const TemporaryFolder folder;
  const SmallText small(config, own);
  export_to("gguf", small.parts(), small.model, folder.path("out"));
  const std::string file = folder.read("out/model.gguf");
  CHECK(file.find(std::string("\2\0\0\0\0\0\0\0  ", 10)) != std::string::npos);
  const Imported<LanguageModel> again = import_gguf(folder.path("out/model.gguf"));
  CHECK(again.source().encode("a  a") == own.encode("a  a"));
  CHECK(own.encode("a  a").size() == 3);
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
    CHECK(
        refused() ==
        "m.gguf: general.architecture is bert; calque imports llama, qwen2, qwen3, gemma3, gptneox "
        "and gpt2");
  }
  SUBCASE("type") {
    set("llama.block_count", "two");
    CHECK(refused() == "m.gguf: llama.block_count is of another type");
  }
  SUBCASE("size") {
    set("llama.block_count", uint32_t{3});
    CHECK(refused() == "m.gguf: blk.2.attn_q.weight is missing");
  }
  SUBCASE("rotation") {
    file.values.emplace_back("llama.rope.scaling.type", "yarn");
    CHECK(refused() == "m.gguf: llama.rope.scaling.type is yarn; calque has none and linear");
  }
  SUBCASE("heads of keys") {
    set("llama.attention.head_count_kv", uint32_t{3});
    CHECK(refused() == "m.gguf: llama.attention.head_count_kv must divide head_count");
  }
  SUBCASE("factors of rotation") {
    file.tensors.push_back({"rope_freqs.weight", Tensor::of({3}, {1, 5, 2})});
    CHECK(refused() == "m.gguf: rope_freqs.weight is not the scaling of Llama 3");
  }
  SUBCASE("tokens") {
    set("tokenizer.ggml.token_type", std::vector<int32_t>{1});
    CHECK(refused() == "m.gguf: tokenizer.ggml.token_type must have as many entries as tokens");
  }
}

TEST_CASE("a tensor of an unknown type, or with rows of broken blocks, is refused in one line") {
  const auto refused = [](const Shape& shape, char kind) {
    std::string bytes = gguf_bytes({{}, {{"token_embd.weight", Tensor::full(shape, 1)}}});
    // The type follows the name, the number of axes and two sizes.
    bytes[bytes.find("token_embd.weight") + 17 + 4 + 16] = kind;
    return message_of<Error>([&] { parse_gguf(bytes, "m.gguf"); });
  };
  CHECK(refused({1, 32}, 99) ==
        "m.gguf: token_embd.weight is quantized in a way that calque does not read (type 99); it "
        "reads F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K");
  CHECK(refused({3, 40}, 8) ==
        "m.gguf: token_embd.weight is Q8_0, but has rows of 40 numbers, no whole blocks of 32");
  CHECK(refused({1, 32}, 8).empty());
}

}  // namespace
}  // namespace calque
