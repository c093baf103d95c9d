#include "interop/model.h"

#include "data/tokenizers/language_tokens.h"

namespace calque {

bool RunParts::same_vocabulary() const {
  if (source().hash() == target().hash()) return true;
  bool same = source().size() == target().size();
  for (int32_t id = 0; same && id < source().size(); ++id) {
    same = source().symbol(id) == target().symbol(id);
  }
  return same;
}

void RunParts::use(std::vector<Tokenizer> own) {
  tokenizers = std::move(own);
  const TokenizerOptions& options = target().options();
  config.tokenizer.kind = options.kind;
  config.tokenizer.joint = source().hash() == target().hash();
  config.data.nfkc = options.nfkc;
  config.data.lowercase = options.lowercase;
  config.data.multilingual =
      config.task == TaskKind::translation && !languages_with_token(source()).empty();
}

LanguageModelShape shape_of(const LayerOptions& options) {
  using enum LanguageModelShape;
  if (options.positions != PositionKind::rotary) return gpt2;
  if (options.norm_kind == NormKind::layer) return gpt_neox;
  if (options.norm_placement == NormPlacement::both) return gemma3;
  if (options.qk_norm) return qwen3;
  if (options.biases == BiasedLayers::qkv) return qwen2;
  return options.attention.window > 0 ? mistral : llama;
}

Tensor gain_of(const Gain& gain, bool centered) {
  if (centered == gain.centered) return gain.stored;
  return gain.stored + real(centered ? -1 : 1);
}

}  // namespace calque
