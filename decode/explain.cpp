#include "decode/explain.h"

#include <algorithm>

#include "core/tape.h"
#include "data/vocabulary.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

Segments whole(const Ids& ids) {
  return Segments::of_lengths(std::vector{static_cast<int32_t>(ids.size())});
}

// Weights [heads, queries, keys] of one layer, head by head.
void add_heads(std::vector<ExplainedHead>& heads, int layer, const Tensor& weights, int64_t queries,
               int64_t keys) {
  const auto size = static_cast<size_t>(queries * keys);
  for (size_t head = 0; head * size < weights.span().size(); ++head) {
    const auto values = weights.span().subspan(head * size, size);
    heads.push_back(
        {layer, static_cast<int>(head), {queries, keys, {values.begin(), values.end()}}});
  }
}

void add_attention(Explanation& explanation, const Transformer& model,
                   const AttentionRecord& record) {
  const auto source = std::ssize(explanation.source_tokens);
  const auto target = std::ssize(explanation.target_tokens);
  const auto weights = [&](const std::string& name) { return record.at(name).sentences.front(); };
  int layer = 0;
  for (const EncoderLayer& block : model.encoder.layers) {
    add_heads(explanation.encoder_self, layer++, weights(block.self_attention.name), source,
              source);
  }
  layer = 0;
  for (const DecoderLayer& block : model.decoder.layers) {
    add_heads(explanation.decoder_self, layer, weights(block.self_attention.name), target, target);
    add_heads(explanation.cross, layer++, weights(block.cross_attention.name), target, source);
  }
}

// The table that is added to embeddings; kinds that add nothing have none.
ExplainedMatrix positions_of(const TransformerOptions& options, const Positions& positions) {
  if (options.positions == PositionKind::rotary || options.positions == PositionKind::none) {
    return {};
  }
  constexpr int64_t shown = 64;
  const Tensor table = options.positions == PositionKind::learned
                           ? positions.table
                           : sinusoids(options.positions, shown, options.d_model);
  const int64_t rows = std::min(shown, table.rows());
  const auto values = table.span().first(static_cast<size_t>(rows * options.d_model));
  return {rows, options.d_model, {values.begin(), values.end()}};
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
  const Tensor logits =
      model.logits(model.decode(read, whole(read), memory, sources, Mode::evaluate, &record));
  const auto vocabulary = static_cast<size_t>(logits.cols());
  for (size_t t = 0; t < read.size(); ++t) {
    const auto row = logits.span().subspan(t * vocabulary, vocabulary);
    explanation.logits.emplace_back(row.begin(), row.end());
  }
  add_attention(explanation, model, record);
  explanation.positions = positions_of(model.options, model.target_positions);
  return explanation;
}

}  // namespace calque
