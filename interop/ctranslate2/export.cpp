#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "data/files/file.h"
#include "data/tokenizers/language_tokens.h"
#include "interop/ctranslate2/file.h"
#include "interop/ctranslate2/format.h"
#include "interop/parameters/positions.h"

namespace calque {
namespace {

// The weight that changes most when it becomes an integer times a scale.
struct Rounding {
  std::string name;
  float weight = 0, rounded = 0;

  float size() const { return std::abs(weight - rounded); }
  void compare(const Ct2Variable& values, const Ct2Variable& scales, const Tensor& weights) {
    for (int64_t i = 0; i < weights.size(); ++i) {
      float scale = 0;
      std::memcpy(&scale, scales.bytes.data() + i / weights.cols() * int64_t{sizeof(scale)},
                  sizeof(scale));
      const auto integer = static_cast<int8_t>(values.bytes[static_cast<size_t>(i)]);
      const auto own = static_cast<float>(weights.data()[i]);
      const float now = static_cast<float>(integer) / scale;
      if (std::abs(own - now) > size()) *this = {values.name, own, now};
    }
  }
};

// Collects the variables of a model as CTranslate2 stores them.
class Variables : public ParameterWalk {
 public:
  explicit Variables(bool int8) : int8_(int8) {}

  void flag(const std::string& name, Ct2Type type, int32_t value) {
    model_.variables.push_back(ct2_integer(name, type, value));
  }

  using ParameterWalk::tensor;
  void tensor(const std::string& name, const Tensor& own, const Placement& placement) override {
    ListingWalk one;
    one.tensor(name, own, placement);
    add(name, one.list.front().tensor, placement.transposed);
  }

  // A table that is visited again becomes an alias.
  void table(const std::string& name, const Tensor& own, Side, real) override {
    for (const auto& [other, first] : tables_) {
      if (other.data() != own.data()) continue;
      model_.aliases.emplace_back(name, first);
      if (int8_) {
        model_.aliases.emplace_back(name + "_scale", first + "_scale");
      }
      return;
    }
    tables_.emplace_back(own, name);
    add(name, own, true);
  }

  Ct2Model take() { return std::move(model_); }
  const Rounding& rounding() const { return rounding_; }

 private:
  void add(const std::string& name, const Tensor& x, bool is_weight) {
    if (!is_weight || !int8_) {
      model_.variables.push_back(ct2_variable(name, x));
      return;
    }
    auto [values, scales] = ct2_quantized(name, x);
    rounding_.compare(values, scales, x);
    model_.variables.push_back(std::move(values));
    model_.variables.push_back(std::move(scales));
  }

  bool int8_;
  Rounding rounding_;
  Ct2Model model_;
  std::vector<std::pair<Tensor, std::string>> tables_;
};

// Adds the variables that encoder and decoder both have.
void add_stack(Variables& to, const std::string& scope, const TransformerOptions& model,
               const Positions& positions, int64_t layers) {
  const LayerOptions& options = model.layer;
  to.flag(scope + "/num_heads", Ct2Type::int16, static_cast<int32_t>(options.heads));
  to.flag(scope + "/pre_norm", Ct2Type::int8, options.norm_placement == NormPlacement::pre);
  to.flag(scope + "/activation", Ct2Type::int8, ct2_activation(options.activation));
  to.flag(scope + "/scale_embeddings", Ct2Type::int8, options.scale_embeddings);
  to.flag(scope + "/multi_query_attention", Ct2Type::int8, 0);
  if (options.positions != PositionKind::rotary) {
    const int64_t rows = std::max<int64_t>(options.max_positions, 2048);
    return to.tensor(scope + "/position_encodings/encodings",
                     position_table(positions, rows, options.d_model));
  }
  for (int64_t i = 0; i < layers; ++i) {
    const std::string attention = fmt::format("{}/layer_{}/self_attention", scope, i);
    to.flag(attention + "/rotary_dim", Ct2Type::int32, static_cast<int32_t>(options.head_size()));
    to.flag(attention + "/rotary_interleave", Ct2Type::int8, 0);
    to.tensor(attention + "/rotary_base", Tensor::full({}, 10000));
  }
}

void add_model(Variables& to, const Transformer& model) {
  const TransformerOptions& options = model.options;
  add_stack(to, "encoder", options, model.source_positions, options.encoder_layers);
  to.flag("encoder/embeddings_merge", Ct2Type::int8, 0);
  add_stack(to, "decoder", options, model.target_positions, options.decoder_layers);
  to.flag("decoder/start_from_zero_embedding", Ct2Type::int8,
          options.decoder_start == DecoderStart::zero);
  to.flag("decoder/alignment_layer", Ct2Type::int16, -1);
  to.flag("decoder/alignment_heads", Ct2Type::int16, 1);
  walk_ctranslate2(to, model);
  if (model.output.bias) to.tensor("decoder/projection/bias", model.output.bias);
}

nlohmann::ordered_json config_of(const ModelConfig& options) {
  nlohmann::ordered_json config;
  config["add_source_bos"] = false;
  config["add_source_eos"] = options.source_end;
  config["bos_token"] = "<s>";
  config["decoder_start_token"] = "<s>";
  config["eos_token"] = "</s>";
  config["layer_norm_epsilon"] = static_cast<double>(options.norm_epsilon);
  config["multi_query_attention"] = false;
  config["unk_token"] = "<unk>";
  return config;
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

// How a multilingual model is told the target language.
std::string language_note(const RunParts& from) {
  if (!from.config.data.multilingual) return "";
  std::string tokens;
  for (const std::string& language : languages_with_token(from.source())) {
    tokens += " `" + language_token(language) + "`";
  }
  return "\nThe first token of each source names the target language, as in `[\">>de<<\", \"▁A\", "
         "...]`:" +
         tokens + "\n";
}

std::string readme_text(const RunParts& from) {
  const std::string note = language_note(from);
  if (!from.source().sentence_piece()) {
    return fmt::format(fmt::runtime(ctranslate2_readme), "The vocabularies list the tokens.") +
           note;
  }
  return fmt::format(
             fmt::runtime(ctranslate2_readme),
             "source.model and target.model are SentencePiece models:\n"
             "`sentencepiece.SentencePieceProcessor(model_file=\"source.model\").encode(text, "
             "out_type=str)`.") +
         note;
}

void write_ctranslate2_tokenizers(const ExportFolder& folder, const RunParts& from) {
  if (from.same_vocabulary()) {
    folder.write("shared_vocabulary.json", vocabulary_text(from.source()));
  } else {
    folder.write("source_vocabulary.json", vocabulary_text(from.source()));
    folder.write("target_vocabulary.json", vocabulary_text(from.target()));
  }
  if (const auto* pieces = from.source().sentence_piece()) {
    folder.write("source.model", pieces->bytes());
  }
  if (const auto* pieces = from.target().sentence_piece()) {
    folder.write("target.model", pieces->bytes());
  }
}

}  // namespace

void write_ctranslate2(const Exported<Transformer>& from, bool int8, ExportFolder& to) {
  Variables variables(int8);
  add_model(variables, from.model);
  const Ct2Model model = variables.take();
  const std::string bytes = ct2_bytes(model), path = to.file("model.bin");
  to.write("model.bin", bytes);
  if (parse_ct2(read_file(path, std::ssize(bytes)), path) != model) {
    fail("{}: differs from what was written; export again", path);
  }
  to.write_json("config.json", config_of(from.config.model));
  write_ctranslate2_tokenizers(to, from);
  to.write("README.md", readme_text(from));
  if (!int8) return;
  const Rounding& most = variables.rounding();
  to.remark(
      fmt::format("int8: the largest rounding is {:.2g}: a weight of {} was {:.6g} and is {:.6g}",
                  most.size(), most.name, most.weight, most.rounded));
}

}  // namespace calque
