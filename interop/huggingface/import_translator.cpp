#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/huggingface/import_parts.h"
#include "interop/huggingface/names.h"
#include "interop/parameters/filling_walk.h"
#include "interop/parameters/positions.h"
#include "interop/tokenizers/pieces.h"

namespace calque {
namespace {

const char* const sides[] = {"encoder", "decoder"};

// A setting that must be the same for encoder and decoder.
int64_t of_both_sides(const ForeignJson& config, const std::string& what, int64_t most) {
  const int64_t encoder = config.integer("encoder_" + what, 1, most);
  if (config.integer("decoder_" + what, 1, most) == encoder) return encoder;
  config.refuse("decoder_" + what, "must be the same as encoder_" + what);
}

void read_model(const ForeignJson& config, ModelConfig& to) {
  to.preset = ModelConfig::Preset::none;
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

struct Vocabularies {
  std::vector<ForeignPieces> pieces;  // of source and target
  ForeignVocabularies rows;
  bool one = false;  // both have the same ids
};

ForeignTokens read_tokens(const HuggingfaceFolder& folder, const std::string& file, int64_t rows) {
  ForeignTokens tokens = read_vocabulary_json(folder.file(file), rows);
  tokens.begin = folder.config.integer("decoder_start_token_id", 0, rows - 1);
  tokens.end = folder.config.integer("eos_token_id", 0, rows - 1);
  return tokens;
}

Vocabularies read_vocabularies(const HuggingfaceFolder& folder) {
  Vocabularies read;
  read.rows.source_size = folder.config.integer("vocab_size", 1, most_tokens);
  read.rows.target_size =
      folder.config.integer("decoder_vocab_size", 1, most_tokens, read.rows.source_size);
  const std::string source = folder.file("source.spm"), target = folder.file("target.spm");
  read.one = !std::filesystem::exists(folder.file("target_vocab.json"));
  if (read.one) {
    const int64_t size = std::min(read.rows.source_size, read.rows.target_size);
    read.pieces = match_pieces(source, target, read_tokens(folder, "vocab.json", size));
  } else {
    // No source has <s>, so any row will do.
    ForeignTokens tokens = read_vocabulary_json(folder.file("vocab.json"), read.rows.source_size);
    const auto begin = tokens.ids.find(special_symbols[begin_id]);
    tokens.begin = begin == tokens.ids.end() ? tokens.unknown : begin->second;
    tokens.end = folder.config.integer("eos_token_id", 0, read.rows.source_size - 1);
    read.pieces = {
        match_pieces(source, tokens),
        match_pieces(target, read_tokens(folder, "target_vocab.json", read.rows.target_size))};
  }
  read.rows.source = read.pieces[0].rows;
  read.rows.target = read.pieces[1].rows;
  return read;
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

// final_logits_bias in calque's order. Absent if it is zero and every piece is a token.
Tensor read_output_bias(const Vocabularies& vocabularies, ForeignTensors& tensors) {
  const ForeignPieces& target = vocabularies.pieces[1];
  Tensor bias = Tensor::zeros({std::ssize(target.rows)});
  if (tensors.has("final_logits_bias")) {
    const int64_t size = vocabularies.rows.target_size;
    copy_rows(tensors.take("final_logits_bias", {1, size}), target.rows, bias);
  }
  for (const int32_t id : target.unlisted) bias.data()[id] = absent_logit;
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

ImportedTranslator import_huggingface_translator(const HuggingfaceFolder& folder) {
  ImportedTranslator to;
  to.config = fine_tuning_config(TaskKind::translation);
  ModelConfig& model = to.config.model;
  read_model(folder.config, model);
  const Vocabularies vocabularies = read_vocabularies(folder);
  ForeignTensors tensors = read_weights_folder(folder.path);
  Tables tables;
  model.tied = read_tying(folder.config, vocabularies.one, tensors);
  model.positions = read_positions(model, tensors, tables);
  const Tensor bias = read_output_bias(vocabularies, tensors);
  model.output_bias = static_cast<bool>(bias);
  to.source = vocabularies.pieces[0].tokenizer;
  to.target = vocabularies.pieces[1].tokenizer;
  to.config.tokenizer.kind = to.target.options().kind;
  to.config.tokenizer.joint = to.source.hash() == to.target.hash();
  to.config.data.languages = read_languages(folder);
  if (model.positions == PositionKind::learned) {
    to.config.data.max_length =
        std::min<int64_t>(to.config.data.max_length, model.max_positions - 1);
  }
  read_decoding(folder.generation, vocabularies.rows.target[unknown_id], to.config.decoding);
  to.fill = [=, rows = vocabularies.rows](const Transformer& own) {
    ForeignTensors left = tensors;
    FillingWalk walk(left, rows);
    walk_huggingface(walk, own);
    if (bias) std::ranges::copy(bias.span(), own.output.bias.data());
    if (tables.encoder) std::ranges::copy(tables.encoder.span(), own.source_positions.table.data());
    if (tables.decoder) std::ranges::copy(tables.decoder.span(), own.target_positions.table.data());
    left.finish();
  };
  return to;
}

}  // namespace calque
