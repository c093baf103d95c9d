// BERT: a masked language model or a classifier.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/huggingface/format.h"
#include "interop/huggingface/names.h"
#include "interop/huggingface/parts.h"
#include "interop/parameters/filling_walk.h"
#include "interop/parameters/positions.h"
#include "interop/tokenizers/json.h"
#include "interop/tokenizers/word_piece_import.h"
#include "train/config/fine_tuning.h"
#include "train/config/tasks.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

// BERT always has a table of positions and one of segments.
template <class Model>
TensorList tensors_of(const Model& model) {
  ListingWalk walk;
  walk_huggingface(walk, model);
  const Encoder& encoder = model.encoder;
  const LayerOptions& layer = encoder.options.layer;
  walk.tensor("bert.embeddings.position_embeddings.weight",
              position_table(encoder.body.positions, layer.max_positions, layer.d_model));
  walk.tensor("bert.embeddings.token_type_embeddings.weight",
              encoder.segment_table ? encoder.segment_table : Tensor::zeros({1, layer.d_model}));
  return std::move(walk.list);
}

Json bert_config(const Encoder& encoder, const char* name) {
  Json config;
  config["architectures"] = {name};
  config["model_type"] = "bert";
  config["vocab_size"] = encoder.options.vocabulary;
  config["max_position_embeddings"] = encoder.options.layer.max_positions;
  config["type_vocab_size"] = std::max<int64_t>(1, encoder.options.segment_kinds);
  describe_encoder(encoder.options.layer, encoder.options.layers, config);
  config["tie_word_embeddings"] = false;
  config["pad_token_id"] = end_id;
  return config;
}

constexpr std::string_view masked_readme =
    R"(# A masked language model for Hugging Face transformers

```python
from transformers import pipeline
fill = pipeline("fill-mask", "PATH OF THIS FOLDER")
print(fill("The [MASK] sleeps."))
```

Tokenizers of words and characters do not put spaces where the original text had them.
)";

constexpr std::string_view classifier_readme = R"(# A classifier for Hugging Face transformers

```python
from transformers import pipeline
classify = pipeline("text-classification", "PATH OF THIS FOLDER", top_k=None)
print(classify("How far is the moon?"))
```
)";

constexpr std::string_view tagger_readme = R"(# A tagger for Hugging Face transformers

```python
from transformers import pipeline
tag = pipeline("token-classification", "PATH OF THIS FOLDER", aggregation_strategy="first")
print(tag("Anna lives in Bonn ."))
```
)";

// The classes of transformers that name classes.
struct BertClassifier {
  TaskKind task;
  const char* name;
  std::string_view readme;
};
constexpr BertClassifier bert_classifiers[] = {
    {TaskKind::classification, "BertForSequenceClassification", classifier_readme},
    {TaskKind::tagging, "BertForTokenClassification", tagger_readme}};

const std::string word_table = "bert.embeddings.word_embeddings.weight",
                  output_table = "cls.predictions.decoder.weight";

void read_bert(const ForeignJson& config, Config& to) {
  ModelConfig& model = to.model;
  read_encoder(config, 0.1, model);
  model.norm_placement = NormPlacement::post;
  model.scale_embeddings = false;
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

// Converts names of older versions of transformers to current names, with the prefix "bert.". Drops
// constants and the `unused` tensors.
ForeignTensors read_bert_tensors(const HuggingfaceFolder& folder,
                                 std::initializer_list<const char*> unused) {
  ForeignTensors tensors = read_weights_folder(folder.path);
  tensors.rename_endings(".gamma", ".weight");
  tensors.rename_endings(".beta", ".bias");
  if (!tensors.has(word_table) && tensors.has(word_table.substr(5))) {
    tensors.add_prefix("bert.", "");
  }
  tensors.drop("bert.embeddings.position_ids");
  for (const char* name : unused) tensors.drop(name);
  return tensors;
}

// The tables that BERT adds to the word embeddings.
struct AddedTables {
  Tensor positions, kinds;  // [context, d_model], [kinds, d_model]

  AddedTables(const ForeignJson& config, const Config& own, ForeignTensors& tensors)
      : positions(tensors.take("bert.embeddings.position_embeddings.weight",
                               {own.data.context, own.model.d_model})),
        kinds(tensors.take("bert.embeddings.token_type_embeddings.weight",
                           {config.integer("type_vocab_size", 1, 1 << 16, 2), own.model.d_model})) {
  }

  // Adds the embedding of kind 0 to the positions, for models whose texts are all of kind 0.
  void join() const {
    for (int64_t i = 0; i < positions.size(); ++i) {
      if (const real x = kinds.data()[i % kinds.cols()]; x != 0) positions.data()[i] += x;
    }
  }
  void fill(const Encoder& own) const {
    if (own.segment_table) std::ranges::copy(kinds.span(), own.segment_table.data());
    fill_learned(own.body.positions, positions);
  }
};

// Adds the tables of the output under the names that the walk visits. If the folder has an encoder
// without a head, the head is the embedding table with zeros as the bias.
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

// Reads the tokenizer, and returns the rows of its tokens.
ForeignVocabularies read_tokenizer(const HuggingfaceFolder& folder, MaskToken mask, RunParts& to) {
  ForeignVocabularies rows;
  rows.source_size = folder.config.integer("vocab_size", 1, most_tokens);
  const ForeignTokenizer read = read_bert_tokenizer(folder.path, rows.source_size, mask);
  rows.source = read.rows;
  to.use({read.tokenizer});
  return rows;
}

template <class Model>
std::function<void(const Model&)> filling_bert(const ForeignTensors& tensors,
                                               const ForeignVocabularies& rows,
                                               const AddedTables& added) {
  return filling<Model>(walk_huggingface, tensors, rows,
                        [added](const Model& own) { added.fill(own.encoder); });
}

Imported<MaskedLm> import_masked_lm(const HuggingfaceFolder& folder) {
  Imported<MaskedLm> to(fine_tuning_config(TaskKind::masked_lm));
  read_bert(folder.config, to.config);
  const ForeignVocabularies rows = read_tokenizer(folder, MaskToken::required, to);
  // A masked language model needs neither the pooler nor the head for next-sentence prediction.
  ForeignTensors tensors =
      read_bert_tensors(folder, {"bert.pooler.dense.weight", "bert.pooler.dense.bias",
                                 "cls.seq_relationship.weight", "cls.seq_relationship.bias"});
  const AddedTables added(folder.config, to.config, tensors);
  added.join();
  to.config.model.positions = kind_of_table(added.positions);
  read_head(folder.config, rows.source_size, to.config.model, tensors);
  to.fill = filling_bert<MaskedLm>(tensors, rows, added);
  return to;
}

Imported<Classifier> import_classifier(const HuggingfaceFolder& folder, TaskKind task) {
  const ForeignJson& config = folder.config;
  Imported<Classifier> to(fine_tuning_config(task));
  read_bert(config, to.config);
  ModelConfig& model = to.config.model;
  model.pooling = Pooling::cls;
  const std::string problem = config.text("problem_type", "single_label_classification");
  if (problem != "single_label_classification") {
    config.refuse("problem_type",
                  fmt::format("is {}; calque has single_label_classification", printable(problem)));
  }
  const int64_t kinds = config.integer("type_vocab_size", 1, 1 << 16, 2);
  const bool two_texts = has(to.config, Feature::two_texts);
  if (two_texts && kinds > 2) {
    config.refuse("type_vocab_size",
                  fmt::format("is {}; a classifier of calque distinguishes two texts", kinds));
  }
  model.segment_embeddings = two_texts && kinds == 2;
  const ForeignVocabularies rows = read_tokenizer(folder, MaskToken::optional, to);
  ForeignTensors tensors = read_bert_tensors(folder, {});
  to.labels = take_sorted_labels(config, model.d_model, tensors);
  const AddedTables added(config, to.config, tensors);
  if (!model.segment_embeddings) added.join();
  model.positions = kind_of_table(added.positions);
  to.fill = filling_bert<Classifier>(tensors, rows, added);
  return to;
}

bool has_class(const ForeignJson& config, const char* name) {
  const nlohmann::json& file = config.json();
  const auto classes = file.find("architectures");
  return classes != file.end() && classes->is_array() && std::ranges::count(*classes, name) > 0;
}

}  // namespace

void write_huggingface(const Exported<MaskedLm>& from, ExportFolder& to) {
  to.write_json("config.json", bert_config(from.model.encoder, "BertForMaskedLM"));
  to.write_safetensors("model.safetensors", tensors_of(from.model), "pt");
  write_tokenizer(to, from.source(), TextUse::masked, from.config.data.context);
  to.write("README.md", masked_readme);
}

void write_huggingface(const Exported<Classifier>& from, ExportFolder& to) {
  const auto& own = *std::ranges::find(bert_classifiers, from.config.task, &BertClassifier::task);
  Json config = bert_config(from.model.encoder, own.name);
  config["classifier_dropout"] = from.model.options.head.dropout;
  describe_classes(from.labels, config);
  to.write_json("config.json", config);
  to.write_safetensors("model.safetensors", tensors_of(from.model), "pt");
  write_tokenizer(to, from.source(), TextUse::classified, from.config.data.context);
  to.write("README.md", own.readme);
}

AnyImported import_huggingface_bert(const HuggingfaceFolder& folder) {
  for (const BertClassifier& own : bert_classifiers) {
    if (has_class(folder.config, own.name)) return import_classifier(folder, own.task);
  }
  return import_masked_lm(folder);
}

std::vector<TaskKind> bert_tasks() {
  std::vector<TaskKind> tasks = {TaskKind::masked_lm};
  for (const BertClassifier& own : bert_classifiers) tasks.push_back(own.task);
  return tasks;
}

}  // namespace calque
