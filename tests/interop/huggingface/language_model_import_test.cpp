// Imports of language models of transformers, with the tokenizers in tokenizer.json.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "interop/change_json.h"
#include "interop/huggingface/format.h"
#include "interop/same_files.h"
#include "interop/small_text.h"
#include "interop/tokenizers/json.h"
#include "interop/tokenizers/json_import.h"
#include "support/message_of.h"
#include "train/storage/safetensors.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

Imported<LanguageModel> import_text(const std::string& folder) {
  return std::get<Imported<LanguageModel>>(import_huggingface(folder));
}

struct ExportedText {
  TemporaryFolder folder;
  SmallText small;
  explicit ExportedText(const Config& config, TokenizerKind kind = TokenizerKind::bytes)
      : small(config, text_tokenizer(kind, true)) {
    small.config.tokenizer.kind = kind;
    small.write(hf());
  }
  std::string hf() const { return folder.path("hf"); }
  void change(const std::string& name, const std::string& key, const Json& value) const {
    change_json(folder, "hf/" + name, key, value);
  }
};

void check_same_bytes(const ExportedText& original) {
  const Imported<LanguageModel> from = import_text(original.hf());
  const SmallText again(from.config, from.source());
  from.fill(again.model);
  CHECK(from.config.data.begin_windows);  // the tokenizer puts <s> before a text
  again.write(original.folder.path("again"));
  check_same_files(original.folder, "hf", "again");
}

TEST_CASE("an exported language model that is imported and exported again has the same bytes") {
  Config config = small_text_config(LanguageModelShape::llama);
  TokenizerKind kind = TokenizerKind::bytes;
  SUBCASE("Llama") {}
  SUBCASE("Llama with tied embeddings") { config.model.scale_embeddings = false; }
  SUBCASE("Llama 3") {
    config.model.kv_heads = 1;
    config.model.head_width = 8;
    config.model.biases = BiasedLayers::attention;
    config.model.rotation = {.base = 500000,
                             .scaling = {.kind = RotationScalingKind::llama3, .factor = 8}};
  }
  SUBCASE("Mistral") { config = small_text_config(LanguageModelShape::mistral); }
  SUBCASE("Qwen 2") { config = small_text_config(LanguageModelShape::qwen2); }
  SUBCASE("Qwen 3") { config = small_text_config(LanguageModelShape::qwen3); }
  SUBCASE("Gemma 3") {
    config = small_text_config(LanguageModelShape::gemma3);
    config.model.output_cap = 5;
  }
  SUBCASE("GPT-NeoX") { config = small_text_config(LanguageModelShape::gpt_neox); }
  SUBCASE("GPT-2") { config = small_text_config(LanguageModelShape::gpt2); }
  SUBCASE("GPT-2 with sinusoids") {
    config = small_text_config(LanguageModelShape::gpt2);
    config.model.positions = PositionKind::halves;
    config.model.activation = Activation::gelu_tanh;
  }
  SUBCASE("SentencePiece BPE") { kind = TokenizerKind::bpe; }
  SUBCASE("SentencePiece unigram") { kind = TokenizerKind::unigram; }
  SUBCASE("words") { kind = TokenizerKind::words; }
  SUBCASE("characters") { kind = TokenizerKind::characters; }
  SUBCASE("byte-level BPE") { kind = TokenizerKind::byte_pairs; }
  check_same_bytes(ExportedText(config, kind));
}

TEST_CASE("tokenizer.json gives the same ids for a text as the tokenizer that it is made from") {
  for (const Named<TokenizerKind>& kind : tokenizer_kinds) {
    if (kind.choice == TokenizerKind::word_piece) continue;  // calque cannot train WordPiece
    CAPTURE(kind.name);
    const Tokenizer own = text_tokenizer(kind.choice, true);
    const TemporaryFolder folder;
    const ForeignTokenizer read = read_tokenizer_json(
        folder.write("tokenizer.json", tokenizer_json(own)), {begin_id, end_id, own.size()});
    REQUIRE(read.tokenizer.size() == own.size());
    CHECK(read.tokenizer.options().kind == kind.choice);
    for (int32_t id = 0; id < own.size(); ++id) CHECK(read.rows[id] == id);
    for (const char* text : {"the cat sat", "  two  spaces ", "Zwölf это 猫", "a\nb\tc", "ﬁ №"}) {
      CHECK(read.tokenizer.encode_document(text) == own.encode_document(text));
      CHECK(read.tokenizer.decode_document(own.encode_document(text)) ==
            own.decode_document(own.encode_document(text)));
    }
  }
}

TEST_CASE(
    "each special symbol is mapped to its id in tokenizer.json, or to no_row if it has none") {
  const ExportedText original(small_text_config(LanguageModelShape::llama), TokenizerKind::words);
  Json tokenizer = Json::parse(original.folder.read("hf/tokenizer.json"));
  // Reverses the ids and removes <s>.
  const int32_t size = original.small.tokenizer.size();
  Json vocabulary;
  for (const auto& [token, id] : tokenizer["model"]["vocab"].items()) {
    if (token != "<s>") vocabulary[token] = size - 1 - id.get<int32_t>();
  }
  tokenizer["model"]["vocab"] = vocabulary;
  tokenizer["added_tokens"] = Json::array();
  const std::string path = original.folder.write("t.json", tokenizer.dump());
  const int64_t end = size - 1 - end_id;
  const ForeignTokenizer read = read_tokenizer_json(path, {no_row, end, size});
  CHECK(read.rows[unknown_id] == size - 1);
  CHECK(read.rows[begin_id] == no_row);
  CHECK(read.rows[end_id] == end);
  for (int32_t id = special_ids; id < read.tokenizer.size(); ++id) {
    CHECK(read.rows[id] == vocabulary[token_text(read.tokenizer, id)]);
  }
}

TEST_CASE("of special symbols that share a row, only the last is predicted") {
  const ExportedText original(small_text_config(LanguageModelShape::gpt2),
                              TokenizerKind::byte_pairs);
  original.change("config.json", "bos_token_id", end_id);
  std::string tokenizer = original.folder.read("hf/tokenizer.json");
  for (size_t at = 0; (at = tokenizer.find("\"<s>\"", at)) != tokenizer.npos;) {
    tokenizer.replace(at, 5, "\"<pad>\"");
  }
  original.folder.write("hf/tokenizer.json", tokenizer);
  const Imported<LanguageModel> from = import_text(original.hf());
  CHECK(from.config.model.output_bias);
  const SmallText again(from.config, from.source());
  from.fill(again.model);
  const Tensor &table = again.model.embedding.weight, &bias = again.model.output.bias;
  const int64_t d = table.cols();
  CHECK(std::equal(table.data() + begin_id * d, table.data() + (begin_id + 1) * d,
                   table.data() + end_id * d));
  CHECK(bias.data()[begin_id] == -10'000);
  CHECK(bias.data()[end_id] == 0);
  CHECK(bias.data()[special_ids] == 0);
}

TEST_CASE("symbols that an imported model lacks are not exported") {
  Config config = small_text_config(LanguageModelShape::qwen3);
  config.model.output_bias = true;
  config.model.tied = Tying::all;
  config.tokenizer.files = {"of the run"};
  for (const std::vector<int32_t>& absent :
       {std::vector{unknown_id}, std::vector{unknown_id, begin_id}}) {
    const SmallText small(config, byte_pair_tokenizer());
    small.exclude(absent);
    const TemporaryFolder folder;
    small.write(folder.path("hf"));
    const Json tokens = Json::parse(folder.read("hf/tokenizer.json"));
    const Json settings = Json::parse(folder.read("hf/config.json"));
    CHECK(settings["vocab_size"] == small.tokenizer.size() - std::ssize(absent));
    CHECK(tokens["model"]["vocab"].size() == settings["vocab_size"]);
    CHECK_FALSE(tokens["model"]["vocab"].contains("<unk>"));
    CHECK(tokens["model"]["unk_token"].is_null());
    CHECK(tokens["model"]["vocab"]["</s>"] == settings["eos_token_id"]);
    CHECK(settings["eos_token_id"] == (absent.size() == 1 ? 1 : 0));
    CHECK(settings["bos_token_id"] == 0);
    Imported<LanguageModel> from = import_text(folder.path("hf"));
    from.config.tokenizer.files = {"of the run"};
    const SmallText again(from.config, from.source());
    from.fill(again.model);
    const Tensor expected = small.logits("the cat sat"), found = again.logits("the cat sat");
    CHECK(std::ranges::equal(found.span(), expected.span()));
    again.write(folder.path("again"));
    check_same_files(folder, "hf", "again");
  }
}

TEST_CASE("a bias of the output that does more than exclude symbols is refused") {
  Config config = small_text_config(LanguageModelShape::llama);
  config.model.output_bias = true;
  config.tokenizer.files = {"of the run"};
  const SmallText small(config, byte_pair_tokenizer());
  const TemporaryFolder folder;
  const auto problem = [&] { return message_of<Error>([&] { small.write(folder.path("hf")); }); };
  small.model.output.bias.data()[7] = real(0.5);
  CHECK(problem().find("token 7 has a bias of 0.5, which this format cannot hold") !=
        std::string::npos);
  small.model.output.bias.data()[7] = 0;
  small.exclude({begin_id});
  small.model.embedding.weight.data()[begin_id * small.model.embedding.weight.cols()] += 1;
  CHECK(problem().find("<s> and </s> were one token, and have been trained apart") !=
        std::string::npos);
}

TEST_CASE("byte-level BPE with unknown rules is refused in one line") {
  const ExportedText original(small_text_config(LanguageModelShape::gpt2),
                              TokenizerKind::byte_pairs);
  const Json tokenizer = Json::parse(original.folder.read("hf/tokenizer.json"));
  const auto refused = [&](const Json& changed) {
    original.folder.write("hf/tokenizer.json", changed.dump());
    const std::string message = message_of<Error>([&] { import_text(original.hf()); });
    CHECK(message.find('\n') == std::string::npos);
    return message;
  };
  Json changed = tokenizer;
  SUBCASE("a space before each text") {
    changed["pre_tokenizer"]["add_prefix_space"] = true;
    CHECK(refused(changed).ends_with("pre_tokenizer: add_prefix_space must be false"));
  }
  SUBCASE("no splitting into words") {
    changed["pre_tokenizer"]["use_regex"] = false;
    CHECK(refused(changed).find("cuts words in a way that calque does not have") !=
          std::string::npos);
  }
  SUBCASE("normalization") {
    changed["normalizer"] = {{"type", "NFKC"}};
    CHECK(refused(changed).ends_with("normalizer must be null or NFC before byte-level BPE"));
  }
  SUBCASE("a byte is missing") {
    Json vocabulary = Json::object();
    for (const auto& [token, id] : tokenizer["model"]["vocab"].items()) {
      if (token != "!") vocabulary[token] = id;
    }
    changed["model"]["vocab"] = vocabulary;
    CHECK(refused(changed).ends_with(": has no token '!'"));
  }
  SUBCASE("a pair is merged twice") {
    changed["model"]["merges"].push_back({"t", "h"});
    CHECK(refused(changed).ends_with(": t and h are merged twice"));
  }
}

TEST_CASE("the missing biases of a language model become zeros") {
  const ExportedText original(small_text_config(LanguageModelShape::llama));
  const std::string path = original.folder.path("hf/model.safetensors");
  std::vector<Tensor> tensors;
  std::vector<NamedTensor> list;
  std::vector<TensorSlot> slots;
  const SafetensorsFile file(real_files(), path);
  for (const TensorEntry& entry : file.table().entries) {
    if (entry.name.ends_with(".bias")) continue;
    tensors.emplace_back(Shape(entry.shape));
    list.push_back({entry.name, entry.shape, tensors.back().span()});
    slots.push_back({entry.name, entry.shape, tensors.back().span()});
  }
  file.read(slots);
  std::filesystem::remove(path);
  write_safetensors(real_files(), path, list);
  const Imported<LanguageModel> from = import_text(original.hf());
  const SmallText again(from.config, from.source());
  from.fill(again.model);
  const Linear& qkv = again.model.stack.layers[1].self_attention.qkv;
  CHECK(std::ranges::equal(qkv.weight.span(),
                           original.small.model.stack.layers[1].self_attention.qkv.weight.span()));
  CHECK(std::ranges::all_of(qkv.bias.span(), [](real x) { return x == 0; }));
}

TEST_CASE("a language model that calque cannot represent is refused") {
  const ExportedText llama(small_text_config(LanguageModelShape::llama));
  const auto refused = [&] { return message_of<Error>([&] { import_text(llama.hf()); }); };
  SUBCASE("shared keys and values") {
    llama.change("config.json", "num_key_value_heads", 3);
    CHECK(refused().ends_with("num_key_value_heads is 3, which does not divide 2 heads"));
  }
  SUBCASE("a base of rotation that is none") {
    llama.change("config.json", "rope_theta", 1);
    CHECK(refused().ends_with("rope_theta must be above 1"));
  }
  SUBCASE("stretched rotation") {
    llama.change("config.json", "rope_parameters",
                 Json{{"rope_theta", 10000.0}, {"rope_type", "yarn"}});
    CHECK(refused().ends_with("rope_type is yarn; calque has default, linear and llama3"));
  }
  SUBCASE("another tokenizer") {
    Json tokenizer = Json::parse(llama.folder.read("hf/tokenizer.json"));
    tokenizer["model"]["type"] = "Other";
    llama.folder.write("hf/tokenizer.json", tokenizer.dump());
    CHECK(refused().ends_with(
        "model.type is Other; calque imports BPE, Unigram, WordPiece and WordLevel"));
  }
  SUBCASE("a normalizer that removes spaces only at the ends") {
    const ExportedText pieces(small_text_config(LanguageModelShape::llama), TokenizerKind::bpe);
    pieces.change("tokenizer.json", "normalizer",
                  Json{{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}});
    CHECK(message_of<Error>([&] { import_text(pieces.hf()); })
              .ends_with("normalizer removes spaces at the ends, but not repeated ones, which "
                         "SentencePiece does too"));
  }
  SUBCASE("merges of another library") {
    const ExportedText pieces(small_text_config(LanguageModelShape::llama), TokenizerKind::bpe);
    Json tokenizer = Json::parse(pieces.folder.read("hf/tokenizer.json"));
    tokenizer["model"]["merges"].erase(0);
    pieces.folder.write("hf/tokenizer.json", tokenizer.dump());
    CHECK(message_of<Error>([&] {
            import_text(pieces.hf());
          }).ends_with("model.merges are not those of a SentencePiece model"));
  }
  SUBCASE("a merge of unknown tokens") {
    llama.change("tokenizer.json", "model",
                 Json{{"type", "BPE"}, {"vocab", {{"a", 5}}}, {"merges", {"a b"}}});
    CHECK(
        refused().ends_with("model.merges a and b are not tokens whose concatenation is a token"));
  }
  SUBCASE("an id beyond the table") {
    llama.change("tokenizer.json", "model", Json{{"type", "WordLevel"}, {"vocab", {{"a", 900}}}});
    CHECK(refused().find("has a token without text, or an id that is not below 259") !=
          std::string::npos);
  }
}

}  // namespace
}  // namespace calque
