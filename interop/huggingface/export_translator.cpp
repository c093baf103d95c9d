#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/export_folder.h"
#include "interop/formats.h"
#include "interop/huggingface/export.h"
#include "interop/huggingface/import_parts.h"
#include "interop/huggingface/names.h"
#include "interop/huggingface/parts.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

bool is_pre_norm(const ExportedTranslator& from) {
  return from.config.model.norm_placement == NormPlacement::pre;
}

// The number of rows of the position tables. Both classes read the exported tables instead of
// computing their own, so every kind of positions is exact.
int64_t positions_of(const ExportedTranslator& from) {
  return exported_positions(from.model.options.layer);
}

TensorList tensors_of(const ExportedTranslator& from) {
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
std::string config_text(const ExportedTranslator& from) {
  const TransformerOptions& options = from.model.options;
  const LayerOptions& layer = options.layer;
  Json config;
  config["architectures"] = {is_pre_norm(from) ? "PegasusForConditionalGeneration"
                                               : "MarianMTModel"};
  config["model_type"] = is_pre_norm(from) ? "pegasus" : "marian";
  config["is_encoder_decoder"] = true;
  config["vocab_size"] = options.source_vocabulary;
  config["decoder_vocab_size"] = options.target_vocabulary;
  config["d_model"] = layer.d_model;
  for (const char* side : {"encoder", "decoder"}) {
    const std::string name(side);
    config[name + "_layers"] = name == "encoder" ? options.encoder_layers : options.decoder_layers;
    config[name + "_attention_heads"] = layer.heads;
    config[name + "_ffn_dim"] = layer.d_ff;
  }
  config["activation_function"] = name_of(huggingface_activations, layer.activation);
  config["scale_embedding"] = layer.scale_embeddings;
  config["static_position_embeddings"] = true;
  config["max_position_embeddings"] = positions_of(from);
  config["share_encoder_decoder_embeddings"] = options.tying == Tying::all;
  config["tie_word_embeddings"] = options.tying != Tying::none;
  config["dropout"] = layer.dropout;
  config["attention_dropout"] = layer.attention_dropout;
  config["activation_dropout"] = layer.activation_dropout;
  config["bos_token_id"] = begin_id;
  config["eos_token_id"] = end_id;
  config["pad_token_id"] = begin_id;
  config["decoder_start_token_id"] = begin_id;
  config["forced_eos_token_id"] = nullptr;
  config["dtype"] = "float32";
  return config.dump(2) + "\n";
}

std::string generation_text(const ExportedTranslator& from) {
  Json config;
  config["decoder_start_token_id"] = begin_id;
  config["eos_token_id"] = end_id;
  config["pad_token_id"] = begin_id;
  config["suppress_tokens"] = {begin_id};
  if (!from.config.decoding.allow_unknown) config["suppress_tokens"] = {unknown_id, begin_id};
  config["num_beams"] = from.config.decoding.beam;
  config["length_penalty"] = from.config.decoding.length_penalty;
  config["max_length"] = positions_of(from);
  return config.dump(2) + "\n";
}

std::string vocabulary_text(const SentencePieceModel& pieces) {
  Json ids = Json::object();
  for (int32_t id = 0; id < pieces.size(); ++id) ids[pieces.piece(id)] = id;
  if (std::ssize(ids) != pieces.size()) {
    fail("the SentencePiece model has a piece twice, which huggingface cannot hold");
  }
  return ids.dump(1) + "\n";
}

std::string tokenizer_text(const ExportedTranslator& from) {
  Json config;
  config["tokenizer_class"] = "MarianTokenizer";
  const std::vector<std::string>& languages = from.config.data.languages;
  if (languages.size() == 2) {
    config["source_lang"] = languages[0];
    config["target_lang"] = languages[1];
  }
  config["separate_vocabs"] = !from.same_vocabulary();
  config["model_max_length"] = positions_of(from);
  config["unk_token"] = "<unk>";
  config["eos_token"] = "</s>";
  config["pad_token"] = "<s>";
  return config.dump(2) + "\n";
}

void write_tokenizers(const ExportFolder& folder, const ExportedTranslator& from) {
  const SentencePieceModel &source = *from.source.sentence_piece(),
                           &target = *from.target.sentence_piece();
  folder.write("source.spm", source.bytes());
  folder.write("target.spm", target.bytes());
  folder.write("vocab.json", vocabulary_text(source));
  if (!from.same_vocabulary()) folder.write("target_vocab.json", vocabulary_text(target));
  folder.write("tokenizer_config.json", tokenizer_text(from));
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
void require_start(const ExportedTranslator& from, const std::string& out) {
  if (from.config.model.decoder_start == DecoderStart::bos) return;
  const Tensor &table = from.model.target_embedding.weight, &bias = from.model.output.bias;
  const auto row = table.span().subspan(begin_id * table.cols(), table.cols());
  const bool zeros = std::ranges::all_of(row, [](real x) { return x == 0; });
  if (zeros && bias && bias.data()[begin_id] <= absent_logit) return;
  fail("{}: not exported: {}", out,
       obstacle_text({"model.decoder_start", "zero"}, ExportFormat::huggingface, from.config));
}

}  // namespace

void export_huggingface(const ExportedTranslator& from, const std::string& out) {
  require_exportable(ExportFormat::huggingface, from.config, out);
  require_start(from, out);
  ExportFolder folder(out);
  folder.write_safetensors("model.safetensors", tensors_of(from), "pt");
  folder.write("config.json", config_text(from));
  folder.write("generation_config.json", generation_text(from));
  write_tokenizers(folder, from);
  folder.write("README.md", translator_readme);
  folder.finish();
}

}  // namespace calque
