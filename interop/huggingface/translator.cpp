// MarianMT and Pegasus: translators.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/tokenizers/language_tokens.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/formats.h"
#include "interop/huggingface/format.h"
#include "interop/huggingface/names.h"
#include "interop/huggingface/parts.h"
#include "interop/parameters/filling_walk.h"
#include "interop/parameters/positions.h"
#include "interop/tokenizers/pieces.h"
#include "train/config/fine_tuning.h"
#include "train/config/language_pairs.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

bool is_pre_norm(const Exported<Transformer>& from) {
  return from.config.model.norm_placement == NormPlacement::pre;
}

// The number of rows of the position tables. Both classes read the exported tables instead of
// computing their own, so every kind of positions is exact.
int64_t positions_of(const Exported<Transformer>& from) {
  return exported_positions(from.model.options.layer);
}

TensorList tensors_of(const Exported<Transformer>& from) {
  const Transformer& model = from.model;
  const int64_t d = model.options.layer.d_model, rows = positions_of(from);
  ListingWalk walk;
  walk_huggingface(walk, model);
  TensorList to = std::move(walk.list);
  to.push_back(
      {"model.encoder.embed_positions.weight", position_table(model.source_positions, rows, d)});
  to.push_back(
      {"model.decoder.embed_positions.weight", position_table(model.target_positions, rows, d)});
  const int64_t vocabulary = model.options.target_vocabulary;
  to.push_back({"final_logits_bias", model.output.bias ? model.output.bias.reshaped({1, vocabulary})
                                                       : Tensor::zeros({1, vocabulary})});
  return to;
}

// The padding token is <s>, which no sentence contains: the attention mask hides it, and the
// vocabulary needs no other token.
Json config_of(const Exported<Transformer>& from) {
  const TransformerOptions& options = from.model.options;
  Json config;
  config["architectures"] = {is_pre_norm(from) ? "PegasusForConditionalGeneration"
                                               : "MarianMTModel"};
  config["model_type"] = is_pre_norm(from) ? "pegasus" : "marian";
  config["is_encoder_decoder"] = true;
  config["vocab_size"] = options.source_vocabulary;
  config["decoder_vocab_size"] = options.target_vocabulary;
  describe_translator(options, config);
  config["static_position_embeddings"] = true;
  config["max_position_embeddings"] = positions_of(from);
  config["share_encoder_decoder_embeddings"] = options.tying == Tying::all;
  config["tie_word_embeddings"] = options.tying != Tying::none;
  config["bos_token_id"] = begin_id;
  config["eos_token_id"] = end_id;
  config["pad_token_id"] = begin_id;
  config["decoder_start_token_id"] = begin_id;
  config["forced_eos_token_id"] = nullptr;
  config["dtype"] = "float32";
  return config;
}

Json generation_config(const Exported<Transformer>& from) {
  Json config;
  config["decoder_start_token_id"] = begin_id;
  config["eos_token_id"] = end_id;
  config["pad_token_id"] = begin_id;
  config["suppress_tokens"] = {begin_id};
  if (!from.config.decoding.allow_unknown) config["suppress_tokens"] = {unknown_id, begin_id};
  config["num_beams"] = from.config.decoding.beam;
  config["length_penalty"] = from.config.decoding.length_penalty;
  config["max_length"] = positions_of(from);
  return config;
}

std::string vocabulary_text(const SentencePieceModel& pieces) {
  Json ids = Json::object();
  for (int32_t id = 0; id < pieces.size(); ++id) ids[pieces.piece(id)] = id;
  if (std::ssize(ids) != pieces.size()) {
    fail("the SentencePiece model has a piece twice, which huggingface cannot hold");
  }
  return ids.dump(1) + "\n";
}

// The source and the target; "mul" for several, as in OPUS-MT.
std::vector<std::string> named_languages(const Config& config) {
  if (!config.data.multilingual) return config.data.languages;
  const std::vector<LanguagePair> pairs = language_pairs(config.data.train);
  if (pairs.empty()) return config.data.languages;
  const bool one = std::ranges::all_of(
      pairs, [&](const LanguagePair& pair) { return pair.source == pairs.front().source; });
  return {one ? pairs.front().source : "mul", "mul"};
}

Json tokenizer_config(const Exported<Transformer>& from) {
  Json config;
  config["tokenizer_class"] = "MarianTokenizer";
  const std::vector<std::string> languages = named_languages(from.config);
  if (languages.size() == 2) {
    config["source_lang"] = languages[0];
    config["target_lang"] = languages[1];
  }
  config["separate_vocabs"] = !from.same_vocabulary();
  config["model_max_length"] = positions_of(from);
  config["unk_token"] = "<unk>";
  config["eos_token"] = "</s>";
  config["pad_token"] = "<s>";
  return config;
}

void write_tokenizers(const ExportFolder& folder, const Exported<Transformer>& from) {
  const SentencePieceModel &source = *from.source().sentence_piece(),
                           &target = *from.target().sentence_piece();
  folder.write("source.spm", source.bytes());
  folder.write("target.spm", target.bytes());
  folder.write("vocab.json", vocabulary_text(source));
  if (!from.same_vocabulary()) folder.write("target_vocab.json", vocabulary_text(target));
  folder.write_json("tokenizer_config.json", tokenizer_config(from));
}

constexpr std::string_view translator_readme = R"(# A translator for Hugging Face transformers

```python
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("PATH OF THIS FOLDER")
model = AutoModelForSeq2SeqLM.from_pretrained("PATH OF THIS FOLDER")
batch = tokenizer(["A sentence."], return_tensors="pt", padding=True)
print(tokenizer.batch_decode(model.generate(**batch), skip_special_tokens=True))
```

Do not install the package sacremoses: with it, the tokenizer changes the text before it splits it.
`save_pretrained` does not save the position tables. Unless the model was trained with
`model.positions: halves`, the saved copy computes other translations.
)";

// MarianMT and Pegasus start with the embedding of <s>. If calque starts with zeros, that embedding
// must be zeros, and the probability of <s> must be 0, as in an imported model.
void require_start(const Exported<Transformer>& from, const ExportFolder& to) {
  if (from.config.model.decoder_start == DecoderStart::bos) return;
  const Tensor &table = from.model.target_embedding.weight, &bias = from.model.output.bias;
  const auto row = table.span().subspan(begin_id * table.cols(), table.cols());
  const bool zeros = std::ranges::all_of(row, [](real x) { return x == 0; });
  if (zeros && bias && bias.data()[begin_id] <= absent_logit) return;
  fail("{}: not exported: {}", to.out(),
       obstacle_text({"model.decoder_start", "zero"}, format_named("huggingface"), from.config));
}

const char* const sides[] = {"encoder", "decoder"};

// A setting that must be the same for encoder and decoder.
int64_t of_both_sides(const ForeignJson& config, const std::string& what, int64_t most) {
  const int64_t encoder = config.integer("encoder_" + what, 1, most);
  if (config.integer("decoder_" + what, 1, most) == encoder) return encoder;
  config.refuse("decoder_" + what, "must be the same as encoder_" + what);
}

void read_model(const ForeignJson& config, ModelConfig& to) {
  to.norm_placement =
      config.text("model_type") == "marian" ? NormPlacement::post : NormPlacement::pre;
  to.d_model = config.integer("d_model", 1, most_units);
  to.d_ff = of_both_sides(config, "ffn_dim", 1 << 20);
  to.heads = of_both_sides(config, "attention_heads", 1024);
  to.encoder_layers = config.integer("encoder_layers", 1, 1000);
  to.decoder_layers = config.integer("decoder_layers", 1, 1000);
  to.activation = read_activation(config, "activation_function");
  to.max_positions = config.integer("max_position_embeddings", 1, most_positions, 1024);
  to.dropout = static_cast<real>(config.number("dropout", 0.1));
  to.attention_dropout = static_cast<real>(config.number("attention_dropout", 0.0));
  to.activation_dropout = static_cast<real>(config.number("activation_dropout", 0.0));
  to.scale_embeddings = config.flag("scale_embedding", false);
}

ForeignTokens read_tokens(const HuggingfaceFolder& folder, const std::string& file, int64_t rows) {
  ForeignTokens tokens = read_vocabulary_json(folder.file(file), rows);
  tokens.begin = folder.config.integer("decoder_start_token_id", 0, rows - 1);
  tokens.end = folder.config.integer("eos_token_id", 0, rows - 1);
  return tokens;
}

ForeignLanguages read_vocabularies(const HuggingfaceFolder& folder) {
  const int64_t source_size = folder.config.integer("vocab_size", 1, most_tokens);
  const int64_t target_size =
      folder.config.integer("decoder_vocab_size", 1, most_tokens, source_size);
  const std::string source = folder.file("source.spm"), target = folder.file("target.spm");
  if (!std::filesystem::exists(folder.file("target_vocab.json"))) {
    const auto both = match_pieces(
        source, target, read_tokens(folder, "vocab.json", std::min(source_size, target_size)));
    return {both[0], both[1], source_size, target_size, true};
  }
  // No source has <s>, so any row will do.
  ForeignTokens tokens = read_vocabulary_json(folder.file("vocab.json"), source_size);
  const auto begin = tokens.ids.find(special_symbols[begin_id]);
  tokens.begin = begin == tokens.ids.end() ? tokens.unknown : begin->second;
  tokens.end = folder.config.integer("eos_token_id", 0, source_size - 1);
  return {match_pieces(source, tokens),
          match_pieces(target, read_tokens(folder, "target_vocab.json", target_size)), source_size,
          target_size, false};
}

// Puts the tables under the names that the walk visits, whichever of the tied names the file has.
Tying read_tying(const ForeignJson& config, bool one_vocabulary, ForeignTensors& tensors) {
  const std::string shared = "model.shared.weight", encoder = "model.encoder.embed_tokens.weight",
                    decoder = "model.decoder.embed_tokens.weight", output = "lm_head.weight";
  const bool tied = config.flag("tie_word_embeddings", true);
  const auto keep = [&](const std::string& name, std::initializer_list<std::string> from) {
    Tensor table;
    for (const std::string& other : from) {
      if (const Tensor* found = tensors.find(other); found && !table) table = *found;
    }
    for (const std::string& other : from) tensors.drop(other);
    if (table) tensors.add(name, table);
    return table;
  };
  if (!config.flag("share_encoder_decoder_embeddings", true)) {
    tensors.drop(shared);
    if (tied) keep(decoder, {decoder, output});
    return tied ? Tying::target : Tying::none;
  }
  if (!one_vocabulary) {
    config.refuse("share_encoder_decoder_embeddings", "is true, but there is a target_vocab.json");
  }
  if (tied) {
    keep(shared, {shared, encoder, decoder, output});
    return Tying::all;
  }
  if (const Tensor table = keep(encoder, {shared, encoder, decoder})) tensors.add(decoder, table);
  return Tying::none;
}

struct Tables {
  Tensor encoder, decoder;  // absent unless positions are learned
};

// Returns the kind of positions, and fills `tables` if they are learned.
PositionKind read_positions(const ModelConfig& model, ForeignTensors& tensors, Tables& tables) {
  PositionKind kinds[] = {PositionKind::halves, PositionKind::halves};
  Tensor found[2];
  const Shape shape = {model.max_positions, model.d_model};
  for (int side = 0; side < 2; ++side) {
    const std::string name = fmt::format("model.{}.embed_positions.weight", sides[side]);
    if (!tensors.has(name)) continue;
    found[side] = tensors.take(name, shape);
    kinds[side] = kind_of_table(found[side]);
  }
  if (kinds[0] == kinds[1] && kinds[0] != PositionKind::learned) return kinds[0];
  for (Tensor& table : found) {
    if (!table) table = sinusoids(PositionKind::halves, model.max_positions, model.d_model);
  }
  tables = {found[0], found[1]};
  return PositionKind::learned;
}

// Absent if it is zero and every piece is a token.
Tensor read_output_bias(const ForeignLanguages& languages, ForeignTensors& tensors) {
  const Tensor bias = output_bias(tensors, "final_logits_bias", {1, languages.rows.target_size},
                                  languages.rows.target, languages.unlisted);
  const bool zero = std::ranges::all_of(bias.span(), [](real x) { return x == 0; });
  return zero ? Tensor() : bias;
}

std::vector<std::string> read_languages(const HuggingfaceFolder& folder) {
  if (!std::filesystem::exists(folder.file("tokenizer_config.json"))) return {};
  const ForeignJson tokenizer = ForeignJson::read(folder.file("tokenizer_config.json"));
  std::vector<std::string> languages = {tokenizer.text("source_lang", ""),
                                        tokenizer.text("target_lang", "")};
  if (std::ranges::count(languages, "") > 0) languages.clear();
  return languages;
}

}  // namespace

void write_huggingface(const Exported<Transformer>& from, ExportFolder& to) {
  require_start(from, to);
  to.write_safetensors("model.safetensors", tensors_of(from), "pt");
  to.write_json("config.json", config_of(from));
  to.write_json("generation_config.json", generation_config(from));
  write_tokenizers(to, from);
  std::string readme(translator_readme);
  if (from.config.data.multilingual) {
    readme +=
        "\nA text begins with the token of its target language, such as \">>de<< A sentence.\":";
    for (const std::string& language : languages_with_token(from.source())) {
      readme += " `" + language_token(language) + "`";
    }
    readme += "\n";
  }
  to.write("README.md", readme);
}

Imported<Transformer> import_huggingface_translator(const HuggingfaceFolder& folder) {
  Imported<Transformer> to(fine_tuning_config(TaskKind::translation));
  ModelConfig& model = to.config.model;
  read_model(folder.config, model);
  const ForeignLanguages languages = read_vocabularies(folder);
  ForeignTensors tensors = read_weights_folder(folder.path);
  Tables tables;
  model.tied = read_tying(folder.config, languages.one, tensors);
  model.positions = read_positions(model, tensors, tables);
  const Tensor bias = read_output_bias(languages, tensors);
  model.output_bias = static_cast<bool>(bias);
  to.use(languages.tokenizers);
  to.config.data.languages = read_languages(folder);
  if (model.positions == PositionKind::learned) {
    to.config.data.max_length =
        std::min<int64_t>(to.config.data.max_length, model.max_positions - 1);
  }
  read_decoding(folder.generation, languages.rows.target[unknown_id], to.config.decoding);
  to.fill = filling<Transformer>(walk_huggingface, tensors, languages.rows,
                                 [bias, tables](const Transformer& own) {
                                   if (bias) std::ranges::copy(bias.span(), own.output.bias.data());
                                   fill_learned(own.source_positions, tables.encoder);
                                   fill_learned(own.target_positions, tables.decoder);
                                 });
  return to;
}

}  // namespace calque
