#include "interop/onnx/export.h"

#include <nlohmann/json.hpp>

#include "data/tokenizers/vocabulary.h"
#include "interop/onnx/translator.h"
#include "interop/parameters/positions.h"
#include "interop/tokenizers/json.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

// transformers.js computes the shapes of an empty cache from this config. The model type marian
// works for every encoder-decoder with such a cache.
Json onnx_config(const Exported<Transformer>& from) {
  const TransformerOptions& options = from.model.options;
  const LayerOptions& layer = options.layer;
  Json config;
  config["architectures"] = {"MarianMTModel"};
  config["model_type"] = "marian";
  config["is_encoder_decoder"] = true;
  config["vocab_size"] = options.target_vocabulary;
  config["d_model"] = layer.d_model;
  config["encoder_layers"] = options.encoder_layers;
  config["decoder_layers"] = options.decoder_layers;
  config["encoder_attention_heads"] = config["decoder_attention_heads"] = layer.heads;
  config["max_position_embeddings"] = exported_positions(layer);
  config["bos_token_id"] = config["pad_token_id"] = config["decoder_start_token_id"] = begin_id;
  config["eos_token_id"] = end_id;
  return config;
}

Json onnx_generation(const Exported<Transformer>& from) {
  Json config;
  config["decoder_start_token_id"] = config["bos_token_id"] = config["pad_token_id"] = begin_id;
  config["eos_token_id"] = end_id;
  Json never = Json::array({{begin_id}});
  if (!from.config.decoding.allow_unknown) never.push_back({unknown_id});
  config["bad_words_ids"] = never;
  config["num_beams"] = 1;
  config["max_length"] = exported_positions(from.model.options.layer);
  return config;
}

constexpr std::string_view onnx_readme = R"(# A translator for transformers.js, and for ONNX Runtime

```js
import { pipeline, env } from "@huggingface/transformers";
env.allowRemoteModels = false;
env.localModelPath = "PATH OF THE FOLDER ABOVE THIS ONE/";
const translate = await pipeline("translation", "NAME OF THIS FOLDER", { dtype: "fp32" });
console.log(await translate("A sentence."));
```

`onnx/encoder_model.onnx` maps input_ids and attention_mask to last_hidden_state, and
`onnx/decoder_model_merged.onnx` takes one step or several with a cache of keys and values. The
decoder begins with `<s>` (1) and ends with `</s>` (2). The library searches greedily.
)";

}  // namespace

void write_onnx(const Exported<Transformer>& from, ExportFolder& to) {
  const int64_t positions = exported_positions(from.model.options.layer);
  to.make_folder("onnx");
  to.write_read_back("onnx/encoder_model.onnx", onnx_encoder(from.model, positions));
  to.write_read_back("onnx/decoder_model_merged.onnx", onnx_decoder(from.model, positions));
  to.write_json("config.json", onnx_config(from));
  to.write_json("generation_config.json", onnx_generation(from));
  write_tokenizer(to, from.source(), TextUse::translated, positions);
  to.write("README.md", onnx_readme);
}

}  // namespace calque
