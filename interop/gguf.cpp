#include "interop/gguf.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "data/file.h"
#include "data/vocabulary.h"
#include "interop/export_folder.h"
#include "interop/formats.h"
#include "interop/gguf_file.h"
#include "interop/piece_normalization.h"

namespace calque {
namespace {

LanguageModelShape shape_of(const LanguageModel& model) {
  return calque::shape_of(model.options.layer);
}

// calque rotates the pair (k, k + n / 2) of a head of n columns; llama.cpp's Llama (2 k, 2 k + 1).
Tensor with_adjacent_pairs(const Tensor& x, int64_t head_size) {
  Tensor out(x.shape());
  for (int64_t row = 0; row < x.rows(); ++row) {
    for (int64_t i = 0; i < x.cols(); ++i) {
      const int64_t head = i / head_size * head_size, k = i % head_size;
      const int64_t from = head + k / 2 + k % 2 * (head_size / 2);
      out.data()[row * x.cols() + i] = x.data()[row * x.cols() + from];
    }
  }
  return out;
}

void add_gguf_norm(TensorList& to, const std::string& name, const Norm& norm) {
  to.push_back({name + ".weight", norm.gain});
  if (norm.bias) to.push_back({name + ".bias", norm.bias});
}

void add_llama_layer(TensorList& to, const std::string& name, const SelfAttentionLayer& layer,
                     const LayerOptions& options) {
  const int64_t d = options.d_model, width = options.d_ff;
  const Linear& qkv = layer.self_attention.qkv;
  int64_t begin = 0;
  for (const char* part : {".attn_q", ".attn_k"}) {
    Linear rotated = qkv;
    rotated.weight =
        with_adjacent_pairs(columns(qkv.weight, begin, begin + d), options.head_size());
    rotated.bias = with_adjacent_pairs(columns(qkv.bias, begin, begin + d), options.head_size());
    add_linear(to, name + part, rotated);
    begin += d;
  }
  add_linear(to, name + ".attn_v", qkv, 2 * d, 3 * d);
  const FeedForward& network = dense(layer.feed_forward);
  add_linear(to, name + ".ffn_gate", network.inner, 0, width);
  add_linear(to, name + ".ffn_up", network.inner, width, 2 * width);
}

void add_gpt_layer(TensorList& to, const std::string& name, const SelfAttentionLayer& layer) {
  add_linear(to, name + ".attn_qkv", layer.self_attention.qkv);
  add_linear(to, name + ".ffn_up", dense(layer.feed_forward).inner);
}

TensorList tensors_of(const LanguageModel& model) {
  const LayerOptions& options = model.options.layer;
  // The engine does not scale embeddings, so the factor becomes part of the table.
  TensorList to = {{"token_embd.weight",
                    scaled(model.embedding.weight, std::sqrt(static_cast<real>(options.d_model)))}};
  if (shape_of(model) == LanguageModelShape::gpt2) {
    to.push_back({"position_embd.weight",
                  position_table(model.positions, options.max_positions, options.d_model)});
  }
  for (size_t i = 0; i < model.stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.stack.layers[i];
    const std::string name = fmt::format("blk.{}", i);
    add_gguf_norm(to, name + ".attn_norm", layer.self_attention_residual.norm);
    if (shape_of(model) == LanguageModelShape::llama) {
      add_llama_layer(to, name, layer, options);
    } else {
      add_gpt_layer(to, name, layer);
    }
    add_linear(to, name + ".attn_output", layer.self_attention.output);
    add_gguf_norm(to, name + ".ffn_norm", layer.feed_forward_residual.norm);
    add_linear(to, name + ".ffn_down", dense(layer.feed_forward).outer);
  }
  add_gguf_norm(to, "output_norm", *model.stack.norm);
  to.push_back({"output.weight", model.output.weight});
  return to;
}

using Values = std::vector<std::pair<std::string, GgufValue>>;

void add_sizes(Values& to, const LanguageModel& model) {
  const LayerOptions& options = model.options.layer;
  const LanguageModelShape shape = shape_of(model);
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
        "the SentencePiece model has no bytes, which gguf needs; train with "
        "tokenizer.byte_fallback: true");
  }
  to.emplace_back("tokenizer.ggml.model", "llama");
  to.emplace_back("tokenizer.ggml.tokens", tokens);
  to.emplace_back("tokenizer.ggml.scores", scores);
  to.emplace_back("tokenizer.ggml.token_type", kinds);
  to.emplace_back("tokenizer.ggml.add_space_prefix",
                  piece_normalization(model.bytes()).dummy_prefix);
}

// The printable character that stands for a byte in the vocabularies of GPT-2: itself, or the next
// one from U+0100 on for the 68 bytes that cannot be printed.
std::vector<std::string> byte_glyphs() {
  std::vector<std::string> glyphs;
  uint32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
    const uint32_t code = printable ? byte : next++;
    glyphs.push_back(code < 0x80 ? std::string(1, static_cast<char>(code))
                                 : std::string{static_cast<char>(0xC0 | code >> 6),
                                               static_cast<char>(0x80 | (code & 0x3F))});
  }
  return glyphs;
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

Values values_of(const ExportedLanguageModel& from) {
  Values values;
  add_sizes(values, from.model);
  if (const SentencePieceModel* model = from.tokenizer.sentence_piece()) {
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

void export_gguf(const ExportedLanguageModel& from, const std::string& out) {
  require_exportable(ExportFormat::gguf, from.config, out);
  ExportFolder folder(out);
  const GgufFile file{values_of(from), tensors_of(from.model)};
  const std::string bytes = gguf_bytes(file), path = folder.file("model.gguf");
  folder.write("model.gguf", bytes);
  const std::string written = read_file(path, static_cast<int64_t>(bytes.size()));
  const GgufFile read = parse_gguf(written, path);
  if (read.values != file.values) fail("{}: differs from what was written; export again", path);
  require_same(file.tensors, read.tensors, path);
  folder.write("README.md", gguf_readme);
  folder.finish();
}

}  // namespace calque
