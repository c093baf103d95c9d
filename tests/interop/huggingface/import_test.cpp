// Imports of translators from transformers: folders that calque exports, and changed ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/change_json.h"
#include "interop/export_to.h"
#include "interop/filled_translator.h"
#include "interop/huggingface/format.h"
#include "interop/parameters/tensors.h"
#include "interop/same_files.h"
#include "interop/small_translator.h"
#include "support/message_of.h"
#include "train/storage/safetensors.h"

namespace calque {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Tokenizer pieces_from(const std::vector<std::string>& texts, int32_t size) {
  return train_tokenizer(texts, {.kind = TokenizerKind::bpe}, {.vocabulary_size = size});
}
Tokenizer small_pieces_of(const std::string& first) {
  return pieces_from({first, "drei zwei eins", "zweiunddreissig"}, 24);
}

// The exported folder of a translator with random weights.
struct Original {
  TemporaryFolder folder;
  Tokenizer source, target;
  SmallTranslator small;

  static TransformerOptions sized(TransformerOptions options, const Tokenizer& a,
                                  const Tokenizer& b) {
    options.source_vocabulary = a.size();
    options.target_vocabulary = b.size();
    return options;
  }

  Original(const TransformerOptions& options, Tokenizer source_, Tokenizer target_)
      : source(std::move(source_)),
        target(std::move(target_)),
        small(sized(options, source, target)) {
    small.config.tokenizer.kind = TokenizerKind::bpe;
    small.config.model.tied = options.tying;
    small.config.model.output_bias = options.output_bias;
    small.config.data.languages = {"en", "de"};
    small.config.decoding.beam = 3;
    if (options.output_bias) small.model.output.bias.data()[5] = real(0.5);
    export_to("huggingface", {small.config, {source, target}}, small.model, hf());
  }
  explicit Original(const TransformerOptions& options)
      : Original(options, small_pieces_of("eins zwei drei"), small_pieces_of("eins zwei drei")) {}

  std::string hf() const { return folder.path("hf"); }
  Json json(const std::string& name) const { return Json::parse(folder.read("hf/" + name)); }
  void change(const std::string& name, const std::string& key, const Json& value) const {
    change_json(folder, "hf/" + name, key, value);
  }
};

Imported<Transformer> import_translator(const std::string& place) {
  return std::get<Imported<Transformer>>(import_huggingface(place));
}

void check_round_trip(const Original& original) {
  const FilledTranslator filled(import_translator(original.hf()));
  const std::string again = original.folder.path("again");
  export_to("huggingface", filled.from, filled.model, again);
  check_same_files(original.folder, "hf", "again");
}

TEST_CASE("an exported translator that is imported and exported again has the same bytes") {
  TransformerOptions options = small_options();
  SUBCASE("one table") {}
  SUBCASE("its own table for the source") { options.tying = Tying::target; }
  SUBCASE("three tables") { options.tying = Tying::none; }
  SUBCASE("a bias of the output") { options.output_bias = true; }
  SUBCASE("learned positions") { options.layer.positions = PositionKind::learned; }
  SUBCASE("sinusoids in halves") { options.layer.positions = PositionKind::halves; }
  SUBCASE("sinusoids of tensor2tensor") { options.layer.positions = PositionKind::t2t; }
  SUBCASE("no positions") { options.layer.positions = PositionKind::none; }
  SUBCASE("pre-norm") { options.layer.norm_placement = NormPlacement::pre; }
  SUBCASE("embeddings that are not scaled") { options.layer.scale_embeddings = false; }
  SUBCASE("gelu of tanh") { options.layer.activation = Activation::gelu_tanh; }
  SUBCASE("gelu and dropout") {
    options.layer.activation = Activation::gelu;
    options.layer.attention_dropout = real(0.25);
  }
  check_round_trip(Original(options));
}

// Imports from Marian have such decoders.
TEST_CASE("a decoder that starts with zeros is exported if <s> has embedding and probability 0") {
  TransformerOptions options = small_options();
  options.decoder_start = DecoderStart::zero;
  options.output_bias = true;
  const Original original(options);  // its config has the default decoder_start
  Config config = original.small.config;
  config.model.decoder_start = DecoderStart::zero;
  const auto refusal = [&] {
    return message_of<Error>([&] {
      export_to("huggingface", {config, {original.source, original.target}}, original.small.model,
                original.folder.path("out"));
    });
  };
  const std::string refused =
      ": not exported: model.decoder_start is zero, which huggingface cannot hold; ctranslate2, ";
  CHECK(refusal().find(refused) != std::string::npos);
  config.tokenizer.files = {"tokenizer.model"};
  CHECK(refusal().find(refused) != std::string::npos);
  const Tensor& table = original.small.model.target_embedding.weight;
  std::fill_n(table.data() + begin_id * table.cols(), table.cols(), real(0));
  CHECK(refusal().find(refused) != std::string::npos);
  original.small.model.output.bias.data()[begin_id] = -10'000;
  CHECK(refusal().empty());
}

TEST_CASE("a translator with two vocabularies has the same bytes after import and export") {
  TransformerOptions options = small_options();
  options.tying = Tying::target;
  check_round_trip(Original(options, small_pieces_of("eins zwei drei"),
                            pieces_from({"one two three", "three two one"}, 20)));
}

TEST_CASE("the kind of positions is recognized from their table") {
  TransformerOptions options = small_options();
  options.layer.positions = PositionKind::interleaved;
  CHECK(import_translator(Original(options).hf()).config.model.positions ==
        PositionKind::interleaved);
  options.layer.positions = PositionKind::learned;
  CHECK(import_translator(Original(options).hf()).config.model.positions == PositionKind::learned);
}

// Renumbers the folder's tokens as in MarianMT: </s> 0, <unk> 1, the pieces, the padding last.
void renumber(const Original& original) {
  const int32_t size = original.source.size();
  std::vector<int64_t> old_of = {end_id, unknown_id};
  for (int32_t id = size - 1; id >= special_ids; --id) old_of.push_back(id);
  old_of.push_back(begin_id);
  Json vocabulary;
  for (int64_t id = 0; id < size; ++id) {
    const auto old = static_cast<int32_t>(old_of[id]);
    vocabulary[old == begin_id ? "<pad>" : original.source.symbol(old)] = id;
  }
  original.folder.write("hf/vocab.json", vocabulary.dump());
  original.change("config.json", "decoder_start_token_id", size - 1);
  original.change("config.json", "eos_token_id", 0);
  original.change("generation_config.json", "suppress_tokens", Json::array({size - 1}));

  const std::string path = original.folder.path("hf/model.safetensors");
  ForeignTensors read = read_weights_folder(original.hf());
  std::vector<Tensor> tensors;
  std::vector<NamedTensor> list;
  const SafetensorsFile file(real_files(), path);
  for (const TensorEntry& entry : file.table().entries) {
    Tensor tensor = read.take(entry.name, Shape(entry.shape));
    if (entry.name == "model.shared.weight" || entry.name == "final_logits_bias") {
      const int64_t width = tensor.size() / size;
      const Tensor old = Tensor::of(tensor.shape(), tensor.span());
      for (int64_t id = 0; id < size; ++id) {
        std::copy_n(old.data() + old_of[id] * width, width, tensor.data() + id * width);
      }
    }
    tensors.push_back(tensor);
    list.push_back({entry.name, entry.shape, tensors.back().span()});
  }
  fs::remove(path);
  write_safetensors(real_files(), path, list);
}

TEST_CASE("each token keeps its embedding and bias if the engine has other ids") {
  TransformerOptions options = small_options();
  options.output_bias = true;
  const Original original(options);
  renumber(original);
  const FilledTranslator filled(import_translator(original.hf()));
  CHECK(filled.from.source().hash() == original.source.hash());
  CHECK(std::ranges::equal(filled.model.source_embedding.weight.span(),
                           original.small.model.source_embedding.weight.span()));
  CHECK(
      std::ranges::equal(filled.model.output.bias.span(), original.small.model.output.bias.span()));
  CHECK(filled.from.config.decoding.allow_unknown);
  CHECK(filled.from.config.decoding.beam == 3);
}

TEST_CASE("two SentencePiece models with one list of tokens get the same ids") {
  const Original original(small_options());
  const Tokenizer other = small_pieces_of("zwei zwei zwei zwei");
  original.folder.write("hf/target.spm", other.sentence_piece()->bytes());
  const Imported<Transformer> imported = import_translator(original.hf());
  CHECK(imported.config.model.tied == Tying::all);
  CHECK(!imported.config.tokenizer.joint);
  REQUIRE(imported.source().size() == imported.target().size());
  for (int32_t id = 0; id < imported.source().size(); ++id) {
    CHECK(imported.source().symbol(id) == imported.target().symbol(id));
  }
  // Each tokenizer still splits text into the same pieces.
  const auto symbols = [](const Tokenizer& tokenizer, const std::string& text) {
    std::vector<std::string> list;
    for (const int32_t id : tokenizer.encode(text)) list.push_back(tokenizer.symbol(id));
    return list;
  };
  for (const char* text : {"eins zwei drei", "zwei zwei", "dreiunddreissig", "neunzig"}) {
    CHECK(symbols(imported.source(), text) == symbols(original.source, text));
    CHECK(symbols(imported.target(), text) == symbols(other, text));
    CHECK(imported.target().decode(imported.source().encode(text)) ==
          original.source.decode(original.source.encode(text)));
  }
}

TEST_CASE("a piece without an id has the embedding of <unk> and is never generated") {
  const Original original(small_options());
  Json vocabulary = original.json("vocab.json");
  const std::string piece = original.source.symbol(10);
  vocabulary.erase(piece);
  original.folder.write("hf/vocab.json", vocabulary.dump());
  const FilledTranslator filled(import_translator(original.hf()));
  const Tensor& table = filled.model.target_embedding.weight;
  const int64_t d = table.cols();
  CHECK(std::ranges::equal(table.span().subspan(10 * d, d), table.span().subspan(0, d)));
  CHECK(filled.model.output.bias.data()[10] < -1000);
  CHECK(filled.model.output.bias.data()[9] == 0);
}

TEST_CASE("a folder that is damaged, or whose model calque cannot represent, is refused") {
  const Original original(small_options());
  const auto refused = [&] {
    return message_of<Error>(
        [&] { const FilledTranslator filled(import_translator(original.hf())); });
  };
  const auto ends = [&](const std::string& end) {
    const std::string message = refused();
    CAPTURE(message);
    CHECK(message.ends_with(end));
    CHECK(message.find('\n') == std::string::npos);
  };
  SUBCASE("another class") {
    original.change("config.json", "model_type", "t5");
    ends(
        "config.json: model_type is t5; calque imports marian, pegasus, gpt2, gpt_neox, llama, "
        "mistral, qwen2, qwen3, gemma3_text, bert and vit");
  }
  SUBCASE("another activation") {
    original.change("config.json", "activation_function", "tanh");
    ends("config.json: activation_function is tanh; calque has relu, gelu, gelu_new and silu");
  }
  SUBCASE("a size that is no number") {
    original.change("config.json", "d_model", "8");
    ends("config.json: d_model must be a whole number from 1 to 65536");
  }
  SUBCASE("a size that is missing") {
    original.change("config.json", "d_model", nullptr);
    ends("config.json: d_model is missing");
  }
  SUBCASE("encoder and decoder of different widths") {
    original.change("config.json", "decoder_ffn_dim", 16);
    ends("config.json: decoder_ffn_dim must be the same as encoder_ffn_dim");
  }
  SUBCASE("a shape that the settings contradict") {
    original.change("config.json", "encoder_ffn_dim", 16);
    original.change("config.json", "decoder_ffn_dim", 16);
    ends("model.encoder.layers.0.fc1.weight is [12, 8], but the model needs [16, 8]");
  }
  SUBCASE("a layer that is missing") {
    original.change("config.json", "encoder_layers", 2);
    ends("model.encoder.layers.1.self_attn.q_proj.weight is missing");
  }
  SUBCASE("an id twice") {
    Json vocabulary = original.json("vocab.json");
    vocabulary[original.source.symbol(7)] = 8;
    original.folder.write("hf/vocab.json", vocabulary.dump());
    CHECK(refused().find("must be a whole number below 24 that no other token has") !=
          std::string::npos);
  }
  SUBCASE("an id beyond the table") {
    original.change("vocab.json", original.source.symbol(7), 24);
    CHECK(refused().find("must be a whole number below 24") != std::string::npos);
  }
  SUBCASE("JSON that is cut off") {
    original.folder.write("hf/config.json", "{\"model_type\": \"marian\"");
    CHECK(refused().find("config.json: not valid JSON at byte") != std::string::npos);
  }
  SUBCASE("weights that are cut off") {
    const std::string bytes = original.folder.read("hf/model.safetensors");
    original.folder.write("hf/model.safetensors", bytes.substr(0, bytes.size() - 4));
    CHECK(refused().find("model.safetensors: not a whole safetensors file") != std::string::npos);
  }
  SUBCASE("no weights") {
    fs::remove(original.folder.path("hf/model.safetensors"));
    ends("model.safetensors: is missing, and so is pytorch_model.bin");
  }
}

TEST_CASE("a tensor of whole numbers, or with another name than expected, is refused") {
  const Original original(small_options());
  const std::string path = original.folder.path("hf/model.safetensors");
  std::string bytes = original.folder.read("hf/model.safetensors");
  const std::string own = "model.decoder.layers.0.fc2.bias", before = "\"" + own + "\":{\"dtype\":";
  SUBCASE("whole numbers") {
    bytes.replace(bytes.find(before) + before.size(), 5, "\"I32\"");
    original.folder.write("hf/model.safetensors", bytes);
    CHECK(message_of<Error>([&] {
            const FilledTranslator filled(import_translator(original.hf()));
          }).ends_with(own + " is of type I32, but floating-point numbers are needed"));
  }
  SUBCASE("another name") {
    bytes[bytes.find("model.decoder.layers.0.self_attn.q_proj.bias")] = 'n';
    original.folder.write("hf/model.safetensors", bytes);
    CHECK(message_of<Error>([&] {
            const FilledTranslator filled(import_translator(original.hf()));
          }).ends_with("model.decoder.layers.0.self_attn.q_proj.bias is missing"));
  }
}

TEST_CASE("weights in several files are found by their index, which may not name other folders") {
  const Original original(small_options());
  fs::rename(original.folder.path("hf/model.safetensors"),
             original.folder.path("hf/part-1.safetensors"));
  const auto index = [&](const std::string& file) {
    original.folder.write("hf/model.safetensors.index.json",
                          Json{{"weight_map", {{"model.shared.weight", file}}}}.dump());
  };
  index("part-1.safetensors");
  CHECK_NOTHROW(FilledTranslator(import_translator(original.hf())));
  index("../hf/part-1.safetensors");
  CHECK_THROWS_AS(FilledTranslator(import_translator(original.hf())), Error);
}

}  // namespace
}  // namespace calque
