#include <algorithm>

#include "core/error.h"
#include "data/text/byte_glyphs.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/gguf/file.h"
#include "interop/gguf/format.h"
#include "interop/tokenizers/vocabulary.h"

namespace calque {
namespace {

using Values = std::vector<std::pair<std::string, GgufValue>>;

void add_sizes(Values& to, const LanguageModel& model) {
  const LayerOptions& options = model.options.layer;
  const LanguageModelShape shape = shape_of(options);
  const std::string kind = shape == LanguageModelShape::llama      ? "llama"
                           : shape == LanguageModelShape::gpt_neox ? "gptneox"
                                                                   : "gpt2";
  const auto whole = [&](const std::string& key, int64_t value) {
    to.emplace_back(kind + key, static_cast<uint32_t>(value));
  };
  to.emplace_back("general.architecture", kind);
  whole(".vocab_size", model.options.vocabulary);
  whole(".context_length", options.max_positions);
  whole(".embedding_length", options.d_model);
  whole(".block_count", model.options.layers);
  whole(".feed_forward_length", options.d_ff);
  whole(".attention.head_count", options.heads);
  if (shape != LanguageModelShape::gpt2) {
    whole(".rope.dimension_count", options.head_size());
    to.emplace_back(kind + ".rope.freq_base", 10000.0F);
  }
  if (shape == LanguageModelShape::gpt_neox)
    to.emplace_back(kind + ".use_parallel_residual", false);
  to.emplace_back(kind + (shape == LanguageModelShape::llama ? ".attention.layer_norm_rms_epsilon"
                                                             : ".attention.layer_norm_epsilon"),
                  static_cast<float>(options.norm_epsilon));
}

// llama.cpp's kinds of tokens.
enum class Kind : int32_t { normal = 1, unknown = 2, control = 3, user_defined = 4, byte = 6 };

Kind kind_of(const SentencePieceModel& model, int32_t id) {
  if (id == unknown_id) return Kind::unknown;
  if (id < special_ids) return Kind::control;
  if (model.is_found(id)) return Kind::normal;
  return model.piece(id).starts_with("<0x") ? Kind::byte : Kind::user_defined;
}

// llama.cpp's tokenizer "llama" is SentencePiece's BPE, with bytes for unknown characters.
void add_pieces(Values& to, const SentencePieceModel& model) {
  std::vector<std::string> tokens;
  std::vector<float> scores;
  std::vector<int32_t> kinds;
  for (int32_t id = 0; id < model.size(); ++id) {
    tokens.push_back(model.piece(id));
    scores.push_back(model.score(id));
    kinds.push_back(static_cast<int32_t>(kind_of(model, id)));
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

Values values_of(const Exported<LanguageModel>& from) {
  Values values;
  add_sizes(values, from.model);
  if (const SentencePieceModel* model = from.source().sentence_piece()) {
    add_pieces(values, *model);
  } else {
    add_byte_tokens(values);
  }
  values.emplace_back("tokenizer.ggml.bos_token_id", uint32_t{begin_id});
  values.emplace_back("tokenizer.ggml.eos_token_id", uint32_t{end_id});
  values.emplace_back("tokenizer.ggml.unknown_token_id", uint32_t{unknown_id});
  values.emplace_back("tokenizer.ggml.add_bos_token", true);
  values.emplace_back("tokenizer.ggml.add_eos_token", false);
  return values;
}

constexpr std::string_view gguf_readme = R"(# A language model for llama.cpp

```python
from llama_cpp import Llama
model = Llama("PATH OF THIS FOLDER/model.gguf", n_ctx=0)
print(model.create_completion("The", max_tokens=40, temperature=0)["choices"][0]["text"])
```
)";

}  // namespace

void write_gguf(const Exported<LanguageModel>& from, ExportFolder& to) {
  ListingWalk walk;
  walk_gguf(walk, from.model);
  const GgufFile file{values_of(from), std::move(walk.list)};
  const std::string bytes = gguf_bytes(file), path = to.file("model.gguf");
  to.write_read_back("model.gguf", bytes);
  const GgufFile read = parse_gguf(bytes, path);
  if (read.values != file.values) fail("{}: differs from what was written; export again", path);
  require_same(file.tensors, read.tensors, path);
  to.write("README.md", gguf_readme);
}

}  // namespace calque
