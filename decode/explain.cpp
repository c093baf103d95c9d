#include "decode/explain.h"

#include "core/tape.h"
#include "data/vocabulary.h"
#include "decode/explained_model.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

Segments whole(const Ids& ids) {
  return Segments::of_lengths(std::vector{static_cast<int32_t>(ids.size())});
}

void add_attention(Explanation& explanation, const Transformer& model,
                   const AttentionRecord& record) {
  int layer = 0;
  for (const SelfAttentionLayer& block : model.encoder.layers) {
    add_heads(explanation.encoder_self, layer++, record, block.self_attention.name);
  }
  layer = 0;
  for (const DecoderLayer& block : model.decoder.layers) {
    add_heads(explanation.decoder_self, layer, record, block.self_attention.name);
    add_heads(explanation.cross, layer++, record, block.cross_attention.name);
  }
}

}  // namespace

Explanation explain(const Transformer& model, const Ids& source, const TranslationOptions& asked) {
  const NoGradient nothing_recorded;
  Explanation explanation;
  TranslationOptions options = asked;
  options.n_best = 1;
  options.sampling.reset();
  options.trace = options.beam > 1 ? &explanation.beam : nullptr;
  const Transformer* const models[] = {&model};
  const Hypothesis best = translate(models, {source}, options).front().front();
  if (best.node >= 0) explanation.beam[static_cast<size_t>(best.node)].fate = BeamFate::best;

  explanation.source_tokens = source;
  explanation.source_tokens.push_back(end_id);
  Ids read = {begin_id};  // row t of what comes out is about target token t
  read.insert(read.end(), best.ids.begin(), best.ids.end());
  explanation.target_tokens = best.ids;
  if (best.finished) {
    explanation.target_tokens.push_back(end_id);
  } else {
    read.pop_back();
  }
  AttentionRecord record;
  const Segments sources = whole(explanation.source_tokens);
  const Tensor memory = model.encode(explanation.source_tokens, sources, Mode::evaluate, &record);
  explanation.logits = rows_of(
      model.logits(model.decode(read, whole(read), memory, sources, Mode::evaluate, &record)));
  add_attention(explanation, model, record);
  explanation.positions = explained_positions(model.options.layer, model.target_positions);
  return explanation;
}

}  // namespace calque
