#include "interop/model.h"

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
}

LanguageModelShape shape_of(const LayerOptions& options) {
  if (options.positions != PositionKind::rotary) return LanguageModelShape::gpt2;
  return options.norm_kind == NormKind::rms ? LanguageModelShape::llama
                                            : LanguageModelShape::gpt_neox;
}

}  // namespace calque
