#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "data/files/file.h"
#include "data/text/byte_glyphs.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/gguf/format.h"
#include "interop/parameters/filling_walk.h"
#include "interop/parameters/positions.h"
#include "interop/tokenizers/vocabulary.h"
#include "train/config/fine_tuning.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr int64_t largest_gguf = int64_t{64} << 30;

// The key-value pairs of a GGUF file.
class GgufSettings {
 public:
  GgufSettings(const GgufFile& file, std::string place) : place_(std::move(place)) {
    for (const auto& [key, value] : file.values) values_.emplace(key, &value);
  }

  template <class Value>
  const Value* find(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return nullptr;
    const auto* value = std::get_if<Value>(found->second);
    if (!value) refuse(key, "is of another type");
    return value;
  }
  template <class Value>
  const Value& get(const std::string& key) const {
    const Value* value = find<Value>(key);
    if (!value) refuse(key, "is missing");
    return *value;
  }
  int64_t whole(const std::string& key, int64_t least, int64_t most,
                std::optional<int64_t> fallback = {}) const {
    const auto* value = find<uint32_t>(key);
    if (!value && fallback) return *fallback;
    if (!value) refuse(key, "is missing");
    if (*value < least || *value > most) {
      refuse(key, fmt::format("is {}; it must be from {} to {}", *value, least, most));
    }
    return *value;
  }
  [[noreturn]] void refuse(const std::string& key, std::string_view why) const {
    fail("{}: {} {}", place_, key, why);
  }
  const std::string& place() const { return place_; }

 private:
  std::string place_;
  std::map<std::string, const GgufValue*, std::less<>> values_;
};

void require_plain_rotation(const GgufSettings& from, const std::string& kind, int64_t head_size) {
  from.whole(kind + ".rope.dimension_count", head_size, head_size, head_size);
  const auto* base = from.find<float>(kind + ".rope.freq_base");
  if (base && *base != 10000.0F) {
    from.refuse(kind + ".rope.freq_base", fmt::format("is {}; calque has 10000", *base));
  }
  const auto* scaling = from.find<std::string>(kind + ".rope.scaling.type");
  if (scaling && *scaling != "none") from.refuse(kind + ".rope.scaling.type", "must be none");
}

// Reads the sizes and kinds. GELU becomes gelu_tanh, as llama.cpp approximates it by tanh.
void read_model(const GgufSettings& from, const std::string& kind, Config& to) {
  ModelConfig& model = to.model;
  model.norm_placement = NormPlacement::pre;
  model.scale_embeddings = false;
  model.dropout = 0;
  to.data.context = from.whole(kind + ".context_length", 1, 1 << 20);
  model.d_model = from.whole(kind + ".embedding_length", 1, most_units);
  model.layers = from.whole(kind + ".block_count", 1, 1000);
  model.d_ff = from.whole(kind + ".feed_forward_length", 1, 1 << 20);
  model.heads = from.whole(kind + ".attention.head_count", 1, 1024);
  from.whole(kind + ".attention.head_count_kv", model.heads, model.heads, model.heads);
  model.activation = Activation::gelu_tanh;
  std::string epsilon = kind + ".attention.layer_norm_epsilon";
  if (kind == "llama") {
    model.norm_kind = NormKind::rms;
    model.activation = Activation::swiglu;
    epsilon = kind + ".attention.layer_norm_rms_epsilon";
  }
  model.norm_epsilon = from.get<float>(epsilon);
  if (kind == "gpt2") return;
  model.positions = PositionKind::rotary;
  require_plain_rotation(from, kind, model.d_model / model.heads);
  const auto* parallel = from.find<bool>(kind + ".use_parallel_residual");
  if (kind == "gptneox" && (!parallel || *parallel)) {
    from.refuse(kind + ".use_parallel_residual", "must be false");
  }
}

struct GgufTokens {
  const std::vector<std::string>& texts;
  const std::vector<int32_t>& kinds;
  int64_t begin, end, unknown;  // ids, or no_row

  bool is_symbol(int64_t id) const { return id == begin || id == end || id == unknown; }
};

GgufTokens read_tokens(const GgufSettings& from) {
  const std::string name = "tokenizer.ggml.";
  const auto& texts = from.get<std::vector<std::string>>(name + "tokens");
  const auto& kinds = from.get<std::vector<int32_t>>(name + "token_type");
  if (texts.empty() || kinds.size() != texts.size()) {
    from.refuse(name + "token_type", "must have as many entries as tokens");
  }
  const auto special = [&](const std::string& symbol) {
    const std::string key = name + symbol + "_token_id";
    return from.find<uint32_t>(key) ? from.whole(key, 0, std::ssize(texts) - 1) : no_row;
  };
  return {texts, kinds, special("bos"), special("eos"), special("unknown")};
}

Tokenizer read_pieces(const GgufSettings& from, const GgufTokens& tokens) {
  const auto& scores = from.get<std::vector<float>>("tokenizer.ggml.scores");
  if (scores.size() != tokens.texts.size()) {
    from.refuse("tokenizer.ggml.scores", "must have as many entries as tokens");
  }
  NewPieceModel model;
  model.normalization.removes_spaces = false;
  if (const auto* prefix = from.find<bool>("tokenizer.ggml.add_space_prefix")) {
    model.normalization.dummy_prefix = *prefix;
  }
  for (size_t id = 0; id < tokens.texts.size(); ++id) {
    if (tokens.is_symbol(static_cast<int64_t>(id))) continue;
    const int32_t kind = tokens.kinds[id];
    if (kind < 1 || kind > 6 || kind == 2) {
      from.refuse("tokenizer.ggml.token_type", fmt::format("has the type {}", kind));
    }
    model.pieces.push_back({tokens.texts[id], scores[id], static_cast<PieceKind>(kind)});
  }
  return {SentencePieceModel(piece_model_bytes(model), from.place()), {.kind = TokenizerKind::bpe}};
}

// The rows of the special symbols, and then of the tokens with these texts.
VocabularyRows rows_of(const GgufSettings& from, const GgufTokens& tokens,
                       const std::vector<std::string>& texts) {
  std::map<std::string_view, int64_t> ids;
  for (size_t id = 0; id < tokens.texts.size(); ++id) {
    if (!tokens.is_symbol(static_cast<int64_t>(id))) ids.emplace(tokens.texts[id], id);
  }
  VocabularyRows rows = {tokens.unknown, tokens.begin, tokens.end};
  for (const std::string& text : texts) {
    const auto found = ids.find(text);
    if (found == ids.end()) {
      from.refuse("tokenizer.ggml.tokens", fmt::format("has no {}", printable(text)));
    }
    rows.push_back(found->second);
  }
  return rows;
}

VocabularyRows read_tokenizer(const GgufSettings& from, Tokenizer& to) {
  const GgufTokens tokens = read_tokens(from);
  const auto& type = from.get<std::string>("tokenizer.ggml.model");
  if (type == "llama") {
    to = read_pieces(from, tokens);
    std::vector<std::string> texts;
    for (int32_t id = special_ids; id < to.size(); ++id) {
      texts.push_back(to.sentence_piece()->piece(id));
    }
    return rows_of(from, tokens, texts);
  }
  const auto* merges = from.find<std::vector<std::string>>("tokenizer.ggml.merges");
  if (type != "gpt2" || (merges && !merges->empty())) {
    from.refuse(
        "tokenizer.ggml.model",
        fmt::format("is {}; calque imports llama, and gpt2 without merges", printable(type)));
  }
  to = Tokenizer(ByteModel(), {.kind = TokenizerKind::bytes});
  return rows_of(from, tokens, byte_glyphs());
}

}  // namespace

Imported<LanguageModel> import_gguf(const GgufFile& file, const std::string& path) {
  const GgufSettings from(file, path);
  const auto& kind = from.get<std::string>("general.architecture");
  if (kind != "llama" && kind != "gptneox" && kind != "gpt2") {
    from.refuse("general.architecture",
                fmt::format("is {}; calque imports llama, gptneox and gpt2", printable(kind)));
  }
  Imported<LanguageModel> to(fine_tuning_config(TaskKind::language_model));
  read_model(from, kind, to.config);
  ForeignTensors tensors(path);
  for (const auto& [name, tensor] : file.tensors) tensors.add(name, tensor);
  ModelConfig& model = to.config.model;
  model.tied = tensors.has("output.weight") ? Tying::none : Tying::all;
  if (kind == "gpt2") {
    const Tensor* table = tensors.find("position_embd.weight");
    if (!table) fail("{}: position_embd.weight is missing", path);
    model.positions = kind_of_table(*table);
  }
  ForeignVocabularies rows;
  Tokenizer tokenizer;
  rows.target = read_tokenizer(from, tokenizer);
  rows.target_size = std::ssize(from.get<std::vector<std::string>>("tokenizer.ggml.tokens"));
  model.output_bias = std::ranges::count(rows.target, no_row) > 0;
  to.use({tokenizer});
  to.config.data.nfkc = false;
  to.config.training.batch_tokens =
      std::max(to.config.training.batch_tokens, to.config.data.context);
  const auto hide_absent = [target = rows.target](const LanguageModel& own) {
    for (size_t id = 0; own.output.bias && id < target.size(); ++id) {
      if (target[id] == no_row) own.output.bias.data()[id] = absent_logit;
    }
  };
  to.fill = filling<LanguageModel>(walk_gguf, tensors, rows, hide_absent, Biases::optional);
  return to;
}

Imported<LanguageModel> import_gguf(const std::string& path) {
  return import_gguf(parse_gguf(read_file(path, largest_gguf), path), path);
}

}  // namespace calque
