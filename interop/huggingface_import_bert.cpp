#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "interop/filling_walk.h"
#include "interop/foreign_positions.h"
#include "interop/huggingface_import_parts.h"
#include "interop/huggingface_names.h"
#include "interop/word_piece_import.h"

namespace calque {
namespace {

const std::string word_table = "bert.embeddings.word_embeddings.weight",
                  output_table = "cls.predictions.decoder.weight";

void read_bert(const ForeignJson& config, Config& to) {
  ModelConfig& model = to.model;
  model.preset = ModelConfig::Preset::none;
  model.norm_placement = NormPlacement::post;
  model.scale_embeddings = false;
  model.d_model = config.integer("hidden_size", 1, most_units);
  model.d_ff = config.integer("intermediate_size", 1, 1 << 20);
  model.layers = config.integer("num_hidden_layers", 1, 1000);
  model.heads = config.integer("num_attention_heads", 1, 1024);
  model.feed_forward = read_activation(config, "hidden_act");
  model.norm_epsilon = static_cast<real>(config.number("layer_norm_eps", 1e-12));
  model.dropout = static_cast<real>(config.number("hidden_dropout_prob", 0.1));
  model.attention_dropout = static_cast<real>(config.number("attention_probs_dropout_prob", 0.1));
  to.data.context = config.integer("max_position_embeddings", 1, 1 << 20, 512);
  to.training.batch_tokens = std::max(to.training.batch_tokens, to.data.context);
  const std::string positions = config.text("position_embedding_type", "absolute");
  if (positions != "absolute") {
    config.refuse("position_embedding_type",
                  fmt::format("is {}; calque has absolute", printable(positions)));
  }
  for (const char* flag : {"is_decoder", "add_cross_attention"}) {
    if (config.flag(flag, false)) config.refuse(flag, "must be false");
  }
}

// Names of older versions become those of today, with a prefix. What an encoder of one text does
// not need goes: the pooler, the comparison of two sentences, and constants.
ForeignTensors read_bert_tensors(const HuggingfaceFolder& folder) {
  ForeignTensors tensors = read_weights_folder(folder.path);
  tensors.rename_endings(".gamma", ".weight");
  tensors.rename_endings(".beta", ".bias");
  if (!tensors.has(word_table) && tensors.has(word_table.substr(5))) {
    tensors.add_prefix("bert.", "");
  }
  for (const char* name :
       {"bert.pooler.dense.weight", "bert.pooler.dense.bias", "cls.seq_relationship.weight",
        "cls.seq_relationship.bias", "bert.embeddings.position_ids"}) {
    tensors.drop(name);
  }
  return tensors;
}

// The table of positions. Every text of calque is the first of its kind, so that row of the token
// types becomes part of it.
Tensor take_positions(const ForeignJson& config, const Config& own, ForeignTensors& tensors) {
  const int64_t d = own.model.d_model, kinds = config.integer("type_vocab_size", 1, 1 << 16, 2);
  const Tensor positions =
      tensors.take("bert.embeddings.position_embeddings.weight", {own.data.context, d});
  const Tensor types = tensors.take("bert.embeddings.token_type_embeddings.weight", {kinds, d});
  for (int64_t i = 0; i < positions.size(); ++i) {
    if (const real x = types.data()[i % d]; x != 0) positions.data()[i] += x;
  }
  return positions;
}

// The tables of the output under the names that the walk visits. A folder without the head has an
// encoder alone, which gets the simplest head over its embeddings.
void read_head(const ForeignJson& config, int64_t rows, ModelConfig& model,
               ForeignTensors& tensors) {
  const std::string biases[] = {"cls.predictions.bias", "cls.predictions.decoder.bias"};
  model.masked_head = tensors.has("cls.predictions.transform.dense.weight");
  const Tensor* words = tensors.find(word_table);
  if (!words) fail("{}: {} is missing", tensors.place(), word_table);
  const Tensor embedding = *words, *output = tensors.find(output_table);
  const bool same = !output || config.flag("tie_word_embeddings", true) ||
                    std::ranges::equal(output->span(), embedding.span());
  model.tied = same ? Tying::all : Tying::none;
  if (same) {
    tensors.drop(output_table);
    tensors.add(output_table, embedding);
  }
  Tensor bias;
  for (const std::string& name : biases) {
    if (tensors.has(name)) bias = *tensors.find(name);
  }
  if (!bias) bias = Tensor::zeros({rows});
  for (const std::string& name : biases) {
    if (!tensors.has(name)) tensors.add(name, bias);
  }
}

}  // namespace

ImportedMaskedLm import_huggingface_bert(const HuggingfaceFolder& folder) {
  ImportedMaskedLm to;
  to.config = fine_tuning_config(TaskKind::masked_lm);
  ModelConfig& model = to.config.model;
  read_bert(folder.config, to.config);
  ForeignVocabularies rows;
  rows.source_size = folder.config.integer("vocab_size", 1, most_tokens);
  const ForeignTokenizer tokenizer = read_bert_tokenizer(folder.path, rows.source_size);
  rows.source = tokenizer.rows;
  to.tokenizer = tokenizer.tokenizer;
  to.config.tokenizer.kind = to.tokenizer.options().kind;
  to.config.data.lowercase = to.tokenizer.options().lowercase;
  to.config.data.nfkc = to.tokenizer.options().nfkc;

  ForeignTensors tensors = read_bert_tensors(folder);
  const Tensor positions = take_positions(folder.config, to.config, tensors);
  model.positions = kind_of_table(positions);
  read_head(folder.config, rows.source_size, model, tensors);
  to.fill = [=](const MaskedLm& own) {
    ForeignTensors left = tensors;
    FillingWalk walk(left, rows);
    walk_huggingface(walk, own);
    if (const Positions& table = own.encoder.body.positions; table.kind == PositionKind::learned) {
      std::ranges::copy(positions.span(), table.table.data());
    }
    left.finish();
  };
  return to;
}

}  // namespace calque
