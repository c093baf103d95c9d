#include "interop/ctranslate2.h"

#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "data/file.h"
#include "interop/ctranslate2_file.h"
#include "interop/export_folder.h"
#include "interop/formats.h"

namespace calque {
namespace {

// The variables of the model, under the names of the engine.
class Variables {
 public:
  Variables(const LayerOptions& options, Ct2Weights weights)
      : options_(options), weights_(weights) {}

  void flag(const std::string& name, Ct2Type type, int32_t value) {
    model_.variables.push_back(ct2_integer(name, type, value));
  }
  void vector(const std::string& name, const Tensor& x) {
    model_.variables.push_back(ct2_variable(name, x));
  }

  // A table or the weight of a product [out, in]. The same tensor again becomes an alias.
  void weight(const std::string& scope, const Tensor& x) {
    const std::string name = scope + "/weight";
    for (const auto& [tensor, first] : tables_) {
      if (tensor.data() != x.data()) continue;
      model_.aliases.emplace_back(name, first);
      if (weights_ == Ct2Weights::int8) {
        model_.aliases.emplace_back(name + "_scale", first + "_scale");
      }
      return;
    }
    tables_.emplace_back(x, name);
    if (weights_ == Ct2Weights::float32) return vector(name, x);
    auto [values, scales] = ct2_quantized(name, x);
    model_.variables.push_back(std::move(values));
    model_.variables.push_back(std::move(scales));
  }

  void linear(const std::string& scope, const Linear& x) { linear(scope, x, 0, x.weight.cols()); }
  void linear(const std::string& scope, const Linear& x, int64_t begin, int64_t end) {
    weight(scope, transposed(columns(x.weight, begin, end)));
    vector(scope + "/bias", columns(x.bias, begin, end));
  }

  void norm(const std::string& scope, const Norm& norm) {
    vector(scope + "/gamma", norm.gain);
    if (norm.bias) vector(scope + "/beta", norm.bias);
  }

  void self_attention(const std::string& scope, const SelfAttention& attention, const Norm& own) {
    linear(scope + "/linear_0", attention.qkv);
    linear(scope + "/linear_1", attention.output);
    norm(scope + "/layer_norm", own);
    if (!attention.rotary) return;
    flag(scope + "/rotary_dim", Ct2Type::int32, static_cast<int32_t>(options_.head_size()));
    flag(scope + "/rotary_interleave", Ct2Type::int8, 0);
    vector(scope + "/rotary_base", Tensor::full({}, 10000));
  }

  void cross_attention(const std::string& scope, const CrossAttention& attention, const Norm& own) {
    linear(scope + "/linear_0", attention.query);
    linear(scope + "/linear_1", attention.key_value);
    linear(scope + "/linear_2", attention.output);
    norm(scope + "/layer_norm", own);
  }

  void feed_forward(const std::string& scope, const FeedForward& network, const Norm& own) {
    const int64_t width = network.outer.weight.rows();
    linear(scope + "/linear_0", network.inner, 0, width);
    if (network.kind == FeedForwardKind::swiglu) {
      linear(scope + "/linear_0_noact", network.inner, width, 2 * width);
    }
    linear(scope + "/linear_1", network.outer);
    norm(scope + "/layer_norm", own);
  }

  Ct2Model take() { return std::move(model_); }

 private:
  const LayerOptions& options_;
  Ct2Weights weights_;
  Ct2Model model_;
  std::vector<std::pair<Tensor, std::string>> tables_;  // keeps their memory from being reused
};

// The engine's numbers.
int32_t activation_number(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::relu:
      return 0;
    case FeedForwardKind::gelu_tanh:
      return 1;
    case FeedForwardKind::gelu:
      return 3;
    case FeedForwardKind::silu:
    case FeedForwardKind::swiglu:
      return 2;
  }
  return 0;
}

// What encoder and decoder have in common.
void add_stack(Variables& to, const std::string& scope, const LayerOptions& options,
               const Positions& positions, const std::optional<Norm>& norm) {
  to.flag(scope + "/num_heads", Ct2Type::int16, static_cast<int32_t>(options.heads));
  to.flag(scope + "/pre_norm", Ct2Type::int8, options.norm_placement == NormPlacement::pre);
  to.flag(scope + "/activation", Ct2Type::int8, activation_number(options.feed_forward));
  to.flag(scope + "/scale_embeddings", Ct2Type::int8, options.scale_embeddings);
  to.flag(scope + "/multi_query_attention", Ct2Type::int8, 0);
  if (options.positions != PositionKind::rotary) {
    const int64_t rows = std::max<int64_t>(options.max_positions, 2048);
    to.vector(scope + "/position_encodings/encodings",
              position_table(positions, rows, options.d_model));
  }
  if (norm) to.norm(scope + "/layer_norm", *norm);
}

Ct2Model model_of(const Transformer& model, Ct2Weights weights) {
  const LayerOptions& options = model.options.layer;
  Variables to(options, weights);
  add_stack(to, "encoder", options, model.source_positions, model.encoder.norm);
  to.flag("encoder/embeddings_merge", Ct2Type::int8, 0);
  to.weight("encoder/embeddings_0", model.source_embedding.weight);
  for (size_t i = 0; i < model.encoder.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.encoder.layers[i];
    const std::string scope = fmt::format("encoder/layer_{}", i);
    to.self_attention(scope + "/self_attention", layer.self_attention,
                      layer.self_attention_residual.norm);
    to.feed_forward(scope + "/ffn", dense(layer.feed_forward), layer.feed_forward_residual.norm);
  }
  add_stack(to, "decoder", options, model.target_positions, model.decoder.norm);
  to.flag("decoder/start_from_zero_embedding", Ct2Type::int8, 0);
  to.flag("decoder/alignment_layer", Ct2Type::int16, -1);
  to.flag("decoder/alignment_heads", Ct2Type::int16, 1);
  to.weight("decoder/embeddings", model.target_embedding.weight);
  for (size_t i = 0; i < model.decoder.layers.size(); ++i) {
    const DecoderLayer& layer = model.decoder.layers[i];
    const std::string scope = fmt::format("decoder/layer_{}", i);
    to.self_attention(scope + "/self_attention", layer.self_attention,
                      layer.self_attention_residual.norm);
    to.cross_attention(scope + "/attention", layer.cross_attention,
                       layer.cross_attention_residual.norm);
    to.feed_forward(scope + "/ffn", dense(layer.feed_forward), layer.feed_forward_residual.norm);
  }
  to.weight("decoder/projection", model.output.weight);
  if (model.output.bias) to.vector("decoder/projection/bias", model.output.bias);
  return to.take();
}

std::string config_text(const LayerOptions& options) {
  nlohmann::ordered_json config;
  config["add_source_bos"] = false;
  config["add_source_eos"] = true;
  config["bos_token"] = "<s>";
  config["decoder_start_token"] = "<s>";
  config["eos_token"] = "</s>";
  config["layer_norm_epsilon"] = static_cast<double>(options.norm_epsilon);
  config["multi_query_attention"] = false;
  config["unk_token"] = "<unk>";
  return config.dump(2) + "\n";
}

std::string vocabulary_text(const Tokenizer& tokenizer) {
  nlohmann::json list = nlohmann::json::array();
  std::set<std::string> seen;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    const std::string symbol = tokenizer.symbol(id);
    if (!seen.insert(symbol).second) {
      fail("the vocabulary has two tokens {}, which ctranslate2 cannot tell apart", symbol);
    }
    list.push_back(symbol);
  }
  return list.dump(1) + "\n";
}

constexpr std::string_view ctranslate2_readme = R"(# A translator for CTranslate2

```python
import ctranslate2
translator = ctranslate2.Translator("PATH OF THIS FOLDER")
tokens = ["▁Ein", "▁Satz"]  # as the tokenizer of the run splits the sentence
result = translator.translate_batch([tokens], beam_size=5, disable_unk=True)
print(result[0].hypotheses[0])
```

CTranslate2 reads and writes tokens, not text. {}
)";

std::string readme_text(const ExportedTranslator& from) {
  if (!from.source.sentence_piece()) {
    return fmt::format(fmt::runtime(ctranslate2_readme), "The vocabularies list the tokens.");
  }
  return fmt::format(
      fmt::runtime(ctranslate2_readme),
      "source.model and target.model are SentencePiece models:\n"
      "`sentencepiece.SentencePieceProcessor(model_file=\"source.model\").encode(text, "
      "out_type=str)`.");
}

void write_tokenizers(const ExportFolder& folder, const ExportedTranslator& from) {
  if (from.same_vocabulary()) {
    folder.write("shared_vocabulary.json", vocabulary_text(from.source));
  } else {
    folder.write("source_vocabulary.json", vocabulary_text(from.source));
    folder.write("target_vocabulary.json", vocabulary_text(from.target));
  }
  if (const auto* pieces = from.source.sentence_piece()) {
    folder.write("source.model", pieces->bytes());
  }
  if (const auto* pieces = from.target.sentence_piece()) {
    folder.write("target.model", pieces->bytes());
  }
}

}  // namespace

void export_ctranslate2(const ExportedTranslator& from, Ct2Weights weights,
                        const std::string& out) {
  require_exportable(ExportFormat::ctranslate2, from.config, out);
  ExportFolder folder(out);
  const Ct2Model model = model_of(from.model, weights);
  const std::string bytes = ct2_bytes(model);
  folder.write("model.bin", bytes);
  const std::string path = folder.file("model.bin");
  if (parse_ct2(read_file(path, static_cast<int64_t>(bytes.size())), path) != model) {
    fail("{}: differs from what was written; export again", path);
  }
  folder.write("config.json", config_text(from.config.model));
  write_tokenizers(folder, from);
  folder.write("README.md", readme_text(from));
  folder.finish();
}

}  // namespace calque
