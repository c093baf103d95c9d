#include <nlohmann/json.hpp>

#include "data/tokenizers/vocabulary.h"
#include "interop/export_folder.h"
#include "interop/formats.h"
#include "interop/huggingface/export.h"
#include "interop/huggingface/names.h"
#include "interop/huggingface/parts.h"
#include "interop/tokenizers/json.h"

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

void write_tokenizer(const ExportFolder& folder, const Tokenizer& tokenizer, TextUse use,
                     int64_t longest) {
  folder.write("tokenizer_config.json", tokenizer_config_json(use, longest));
  folder.write("tokenizer.json", tokenizer_json(tokenizer, use));
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

}  // namespace

void export_huggingface(const ExportedMaskedLm& from, const std::string& out) {
  require_exportable(ExportFormat::huggingface, from.config, out);
  ExportFolder folder(out);
  const Json config = bert_config(from.model.encoder, "BertForMaskedLM");
  folder.write("config.json", config.dump(2) + "\n");
  folder.write_safetensors("model.safetensors", tensors_of(from.model), "pt");
  write_tokenizer(folder, from.tokenizer, TextUse::masked, from.config.data.context);
  folder.write("README.md", masked_readme);
  folder.finish();
}

void export_huggingface(const ExportedClassifier& from, const std::string& out) {
  require_exportable(ExportFormat::huggingface, from.config, out);
  ExportFolder folder(out);
  Json config = bert_config(from.model.encoder, "BertForSequenceClassification");
  config["classifier_dropout"] = from.model.options.head.dropout;
  describe_classes(from.labels, config);
  folder.write("config.json", config.dump(2) + "\n");
  folder.write_safetensors("model.safetensors", tensors_of(from.model), "pt");
  write_tokenizer(folder, from.tokenizer, TextUse::classified, from.config.data.context);
  folder.write("README.md", classifier_readme);
  folder.finish();
}

}  // namespace calque
