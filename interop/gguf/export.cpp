#include <algorithm>

#include "core/error.h"
#include "data/conversations/turn_tokens.h"
#include "data/text/byte_glyphs.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/gguf/file.h"
#include "interop/gguf/format.h"
#include "interop/tokenizers/vocabulary.h"

namespace calque {
namespace {

using Values = std::vector<std::pair<std::string, GgufValue>>;

std::string_view architecture_of(LanguageModelShape shape) {
  if (shape == LanguageModelShape::gpt_neox) return "gptneox";
  const bool mistral = shape == LanguageModelShape::mistral;
  return name_of(language_model_shapes, mistral ? LanguageModelShape::llama : shape);
}

// The settings of a model, whose keys begin with the name of its architecture.
struct Settings {
  Values& to;
  std::string kind;

  void whole(std::string_view key, int64_t value) { add(key, static_cast<uint32_t>(value)); }
  void number(std::string_view key, double value) { add(key, static_cast<float>(value)); }
  void add(std::string_view key, GgufValue value) {
    to.emplace_back(fmt::format("{}.{}", kind, key), std::move(value));
  }
};

void add_rotation(Settings& to, const LayerOptions& options) {
  const Rotation& rotation = options.rotation;
  to.whole("rope.dimension_count", rotation.rotated(options.head_size()));
  to.number("rope.freq_base", rotation.base);
  if (rotation.scaling.kind != RotationScalingKind::linear) return;
  to.add("rope.scaling.type", std::string("linear"));
  to.number("rope.scaling.factor", rotation.scaling.factor);
}

void add_heads(Settings& to, const LayerOptions& options) {
  to.whole("attention.head_count_kv", options.key_heads());
  to.whole("attention.key_length", options.head_size());
  to.whole("attention.value_length", options.head_size());
  if (options.attention.window > 0) {
    to.whole("attention.sliding_window", options.attention.window + 1);
  }
}

void add_sizes(Values& values, const LanguageModel& model, const KeptTokens& kept) {
  const LayerOptions& options = model.options.layer;
  const LanguageModelShape shape = shape_of(options);
  Settings to{values, std::string(architecture_of(shape))};
  values.emplace_back("general.architecture", to.kind);
  to.whole("vocab_size", std::ssize(kept.ids()));
  to.whole("context_length", options.max_positions);
  to.whole("embedding_length", options.d_model);
  to.whole("block_count", model.options.layers);
  to.whole("feed_forward_length", options.d_ff);
  to.whole("attention.head_count", options.heads);
  if (is_llama_like(shape)) add_heads(to, options);
  if (shape != LanguageModelShape::gpt2) add_rotation(to, options);
  if (shape == LanguageModelShape::gpt_neox) to.add("use_parallel_residual", false);
  to.number(
      is_llama_like(shape) ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon",
      double(options.norm_epsilon));
}

// How much the scaling of Llama 3 slows each pair of a head; the other scalings have settings.
void add_factors(TensorList& to, const LayerOptions& options) {
  const Rotation& rotation = options.rotation;
  if (rotation.scaling.kind != RotationScalingKind::llama3) return;
  const std::vector<double> slower = rotation_factors(rotation, options.head_size());
  Tensor factors({std::ssize(slower)});
  std::ranges::transform(slower, factors.data(), [](double f) { return static_cast<real>(f); });
  to.push_back({"rope_freqs.weight", factors});
}

// llama.cpp's kinds of tokens.
enum class Kind : int32_t { normal = 1, unknown = 2, control = 3, user_defined = 4, byte = 6 };

Kind kind_of(const SentencePieceModel& model, int32_t id) {
  if (id == unknown_id) return Kind::unknown;
  if (id < special_ids) return Kind::control;
  if (model.is_control(id)) return Kind::control;
  if (model.is_user_defined(id)) return Kind::user_defined;
  return model.is_found(id) ? Kind::normal : Kind::byte;
}

// llama.cpp's tokenizer "llama" is SentencePiece's BPE, with bytes for unknown characters.
void add_pieces(Values& to, const SentencePieceModel& model) {
  std::vector<std::string> tokens;
  std::vector<float> scores;
  std::vector<int32_t> kinds;
  for (int32_t id = 0; id < model.size(); ++id) {
    const Kind kind = kind_of(model, id);
    std::string text = model.piece(id);
    if (kind == Kind::user_defined) {  // llama.cpp finds them in the text itself
      for (size_t at; (at = text.find(space_mark)) != std::string::npos;) {
        text.replace(at, space_mark.size(), " ");
      }
    }
    tokens.push_back(std::move(text));
    scores.push_back(model.score(id));
    kinds.push_back(static_cast<int32_t>(kind));
  }
  if (std::ranges::count(kinds, static_cast<int32_t>(Kind::byte)) != 256) {
    fail(
        "the SentencePiece model has no byte pieces, which gguf needs; train with "
        "tokenizer.byte_fallback: true");
  }
  if (!piece_normalization(model.bytes()).charsmap.empty()) {
    fail(
        "the SentencePiece model normalizes characters, which gguf cannot hold; train with "
        "data.nfkc: false");
  }
  to.emplace_back("tokenizer.ggml.model", "llama");
  to.emplace_back("tokenizer.ggml.tokens", tokens);
  to.emplace_back("tokenizer.ggml.scores", scores);
  to.emplace_back("tokenizer.ggml.token_type", kinds);
  to.emplace_back("tokenizer.ggml.add_space_prefix",
                  piece_normalization(model.bytes()).dummy_prefix);
}

void add_byte_tokens(Values& to) {
  std::vector<std::string> tokens(std::begin(special_symbols), std::end(special_symbols));
  std::vector<int32_t> kinds(special_ids, static_cast<int32_t>(Kind::control));
  for (const std::string& glyph : byte_glyphs()) {
    tokens.push_back(glyph);
    kinds.push_back(static_cast<int32_t>(Kind::normal));
  }
  to.emplace_back("tokenizer.ggml.model", "gpt2");
  to.emplace_back("tokenizer.ggml.pre", "gpt-2");
  to.emplace_back("tokenizer.ggml.tokens", tokens);
  to.emplace_back("tokenizer.ggml.token_type", kinds);
  to.emplace_back("tokenizer.ggml.merges", std::vector<std::string>{});
}

std::string_view pre_tokenizer_of(WordRule rule) {
  switch (rule) {
    case WordRule::llama3:
      return "llama-bpe";
    case WordRule::qwen2:
      return "qwen2";
    case WordRule::smollm:
      return "smollm";
    default:
      return "gpt-2";
  }
}

void add_byte_pairs(Values& to, const BytePairModel& model) {
  const BytePairModel::Rules& rules = model.rules();
  std::vector<std::string> tokens, merges;
  for (int32_t id = 0; id < model.size(); ++id) tokens.push_back(model.symbol(id));
  std::vector<int32_t> kinds(tokens.size(), static_cast<int32_t>(Kind::normal));
  std::fill_n(kinds.begin(), special_ids, static_cast<int32_t>(Kind::control));
  const auto mark = [&](const std::vector<std::string>& texts, Kind kind) {
    for (const std::string& text : texts) {
      kinds[static_cast<size_t>(*model.find(text))] = static_cast<int32_t>(kind);
    }
  };
  mark(rules.verbatim, Kind::user_defined);
  mark(rules.control, Kind::control);
  for (const auto& [left, right] : model.merges()) merges.push_back(left + " " + right);
  to.emplace_back("tokenizer.ggml.model", "gpt2");
  to.emplace_back("tokenizer.ggml.pre", std::string(pre_tokenizer_of(rules.words)));
  to.emplace_back("tokenizer.ggml.tokens", tokens);
  to.emplace_back("tokenizer.ggml.token_type", kinds);
  to.emplace_back("tokenizer.ggml.merges", merges);
}

// The chat template, and the token that ends an answer if it is not </s>.
void add_turns(Values& to, const TurnOptions& turns, const Tokenizer& tokenizer,
               const KeptTokens& kept) {
  if (turns.format == TurnFormat::none) return;
  to.emplace_back("tokenizer.chat_template", template_of_turns(turns));
  const std::vector<int32_t> ends = TurnTokens(tokenizer, turns).ends();
  if (ends.size() == 1) return;
  to.emplace_back("tokenizer.ggml.eot_token_id",
                  static_cast<uint32_t>(kept.engine_id(ends.back())));
}

// The lists with an item for each token, without those of tokens that llama.cpp does not get.
void select_tokens(Values& values, const KeptTokens& kept) {
  for (auto& [key, value] : values) {
    if (key == "tokenizer.ggml.tokens") {
      value = kept.select(std::get<std::vector<std::string>>(value));
    } else if (key == "tokenizer.ggml.scores") {
      value = kept.select(std::get<std::vector<float>>(value));
    } else if (key == "tokenizer.ggml.token_type") {
      value = kept.select(std::get<std::vector<int32_t>>(value));
    }
  }
}

Values values_of(const Exported<LanguageModel>& from, const KeptTokens& kept) {
  Values values;
  add_sizes(values, from.model, kept);
  if (const SentencePieceModel* model = from.source().sentence_piece()) {
    add_pieces(values, *model);
  } else if (const BytePairModel* pairs = from.source().byte_pairs()) {
    add_byte_pairs(values, *pairs);
  } else {
    add_byte_tokens(values);
  }
  select_tokens(values, kept);
  const auto symbol = [&](const char* name, int32_t id) {
    values.emplace_back(fmt::format("tokenizer.ggml.{}_token_id", name),
                        static_cast<uint32_t>(kept.engine_id(id)));
  };
  symbol("bos", begin_id);
  symbol("eos", end_id);
  if (kept.has(unknown_id)) symbol("unknown", unknown_id);
  values.emplace_back("tokenizer.ggml.add_bos_token", true);
  values.emplace_back("tokenizer.ggml.add_eos_token", false);
  add_turns(values, from.config.data.turns, from.source(), kept);
  return values;
}

struct ExportType {
  std::string_view name, storage;
  uint32_t number;  // general.file_type
};
constexpr ExportType export_types[] = {{"float32", "F32", 0},
                                       {"float16", "F16", 1},
                                       {"bfloat16", "BF16", 32},
                                       {"q8_0", "Q8_0", 7},
                                       {"q4_0", "Q4_0", 2}};

const ExportType& export_type(std::string_view name) {
  return *std::ranges::find(export_types, name, &ExportType::name);
}

// Norms, biases and positions are always F32, and so are matrices without whole blocks.
std::vector<const GgufStorage*> storages_of(const TensorList& tensors, std::string_view type) {
  const GgufStorage* const chosen = gguf_storage(export_type(type).storage);
  std::vector<const GgufStorage*> all;
  for (const auto& [name, tensor] : tensors) {
    const GgufStorage* own = chosen;
    if (type == "q4_0" && is_table(name)) own = gguf_storage("Q8_0");
    const bool is_matrix = tensor.shape().axes() == 2 && name != "position_embd.weight";
    const bool fits = is_matrix && tensor.shape()[1] % own->numbers == 0;
    all.push_back(fits ? own : gguf_storage("F32"));
  }
  return all;
}

// Rounds the tensors to what the file holds of them.
void round_to(const std::vector<const GgufStorage*>& stored, TensorList& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (stored[i] == gguf_storage("F32")) continue;  // as exact as their own numbers
    Tensor& tensor = tensors[i].tensor;
    std::vector<std::byte> bytes(stored[i]->bytes_of(tensor));
    stored[i]->encode(tensor.span(), bytes.data());
    tensor = Tensor(tensor.shape());
    stored[i]->decode(bytes.data(), tensor.span());
  }
}

void add_type(Values& to, std::string_view type) {
  to.emplace_back("general.file_type", export_type(type).number);
  if (type.starts_with("q")) to.emplace_back("general.quantization_version", uint32_t{2});
}

constexpr std::string_view gguf_readme = R"(# A language model for llama.cpp

```python
from llama_cpp import Llama
model = Llama("PATH OF THIS FOLDER/model.gguf", n_ctx=0)
print(model.create_completion("The", max_tokens=40, temperature=0)["choices"][0]["text"])
```
)";

}  // namespace

void write_gguf(const Exported<LanguageModel>& from, std::string_view type, ExportFolder& to) {
  const KeptTokens kept(from.model);
  ListingWalk walk(kept);
  walk_gguf(walk, from.model);
  add_factors(walk.list, from.model.options.layer);
  GgufFile file{values_of(from, kept), std::move(walk.list)};
  const std::vector<const GgufStorage*> stored = storages_of(file.tensors, type);
  add_type(file.values, type);
  const std::string bytes = gguf_bytes(file, stored), path = to.file("model.gguf");
  to.write_read_back("model.gguf", bytes);
  const GgufFile read = parse_gguf(bytes, path);
  if (read.values != file.values) fail("{}: differs from what was written; export again", path);
  round_to(stored, file.tensors);
  require_same(file.tensors, read.tensors, path);
  to.write("README.md", gguf_readme);
}

}  // namespace calque
