#include "decode/explain.h"

#include <algorithm>

#include "core/error.h"
#include "core/tape.h"
#include "data/batches/pair_batch.h"
#include "decode/embedding_neighbours.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

constexpr int64_t neighbours_shown = 6;

Segments whole(const Ids& ids) {
  return Segments::of_lengths(std::vector{static_cast<int32_t>(ids.size())});
}

// Adds the heads of the attention `name`, recorded in a pass over one sentence.
void add_heads(std::vector<ExplainedHead>& heads, int layer, const AttentionRecord& record,
               const std::string& name) {
  const Tensor& weights = record.at(name).sentences.front();  // [heads, queries, keys]
  const int64_t queries = weights.shape()[1], keys = weights.shape()[2];
  for (int64_t head = 0; head < weights.shape()[0]; ++head) {
    const auto values = weights.span().subspan(head * queries * keys, queries * keys);
    heads.push_back(
        {layer, static_cast<int>(head), {queries, keys, {values.begin(), values.end()}}});
  }
}

template <class Layers>
void add_self_attention(std::vector<ExplainedHead>& heads, const Layers& layers,
                        const AttentionRecord& record) {
  int number = 0;
  for (const auto& layer : layers) add_heads(heads, number++, record, layer.self_attention.name);
}

std::vector<std::vector<float>> rows_of(const Tensor& logits) {
  std::vector<std::vector<float>> rows;
  for (int64_t t = 0; t < logits.rows(); ++t) {
    const auto row = logits.span().subspan(t * logits.cols(), logits.cols());
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

// The first rows of the table that is added to the embeddings; empty for position kinds without
// such a table.
ExplainedMatrix positions_of(const LayerOptions& options, const Positions& positions) {
  if (options.positions == PositionKind::rotary || options.positions == PositionKind::none) {
    return {};
  }
  constexpr int64_t shown = 64;
  const Tensor table = options.positions == PositionKind::learned
                           ? positions.table
                           : sinusoids(options.positions, shown, options.d_model);
  const int64_t rows = std::min(shown, table.rows());
  const auto values = table.span().first(rows * options.d_model);
  return {rows, options.d_model, {values.begin(), values.end()}};
}

// The neighbours of the tokens that the decoder wrote, and of the source tokens if both sides share
// one embedding table.
template <class Model>
std::vector<NearTokens> neighbours_of(const Explanation& explanation, const Model& model) {
  Ids tokens;
  const Tensor& table = model.target_embedding.weight;
  const Tensor& source = model.source_embedding.weight;
  const bool shared =
      source.data() == table.data() && source.values().compact() == table.values().compact();
  if (shared) tokens = explanation.source_tokens;
  const Ids& written = explanation.target_tokens;
  tokens.insert(tokens.end(), written.begin(), written.end());
  return embedding_neighbours(table, tokens, neighbours_shown);
}

void add_parts(Explanation& to, Translator translator, const AttentionRecord& record) {
  if (const RecurrentTranslator* recurrent = translator.recurrent()) {
    if (!record.entries.empty()) add_heads(to.cross, 0, record, recurrent->decoder.name);
    return;
  }
  const Transformer& model = *translator.transformer();
  add_self_attention(to.encoder_self, model.encoder.layers, record);
  add_self_attention(to.decoder_self, model.decoder.layers, record);
  int number = 0;
  for (const DecoderLayer& layer : model.decoder.layers) {
    add_heads(to.cross, number++, record, layer.cross_attention.name);
  }
  to.positions = positions_of(model.options.layer, model.target_positions);
}

}  // namespace

Explanation explain(Translator model, const Ids& source, const TranslationOptions& asked) {
  const NoGradient nothing_recorded;
  Explanation explanation;
  TranslationOptions options = asked;
  options.n_best = 1;
  options.sampling.reset();
  options.trace = options.beam > 1 ? &explanation.beam : nullptr;
  const Hypothesis best = translate({&model, 1}, {source}, options).front().front();
  if (best.node >= 0) explanation.beam[best.node].fate = BeamFate::best;

  append_source(source, model.source_end(), explanation.source_tokens);
  explanation.target_tokens = best.ids;
  if (best.finished) explanation.target_tokens.push_back(end_id);
  Ids input = explanation.target_tokens;  // row t of the output predicts target token t
  input.insert(input.begin(), begin_id);
  input.pop_back();

  AttentionRecord record;
  const Segments sources = whole(explanation.source_tokens);
  const Tensor memory = model.encode(explanation.source_tokens, sources, Mode::evaluate, &record);
  explanation.logits = rows_of(
      model.output()(model.decode(input, whole(input), memory, sources, Mode::evaluate, &record)));
  add_parts(explanation, model, record);
  explanation.neighbours = model.transformer() ? neighbours_of(explanation, *model.transformer())
                                               : neighbours_of(explanation, *model.recurrent());
  return explanation;
}

Explanation explain_text(const LanguageModel& model, const Ids& prompt, const Ids& continuation) {
  require(prompt.size() + continuation.size() >= 2 && !prompt.empty(),
          "explain_text: {} tokens of a prompt and {} of its continuation; nothing is predicted",
          prompt.size(), continuation.size());
  const NoGradient nothing_recorded;
  Ids text = prompt;
  text.insert(text.end(), continuation.begin(), continuation.end());
  Explanation explanation;
  explanation.target_tokens.assign(text.begin() + 1, text.end());
  explanation.given = std::ssize(prompt) - 1;
  text.pop_back();  // nothing follows the last token
  AttentionRecord record;
  explanation.logits =
      rows_of(model.logits(model.hidden(text, whole(text), Mode::evaluate, &record)));
  add_self_attention(explanation.decoder_self, model.stack.layers, record);
  explanation.positions = positions_of(model.options.layer, model.positions);
  explanation.neighbours =
      embedding_neighbours(model.embedding.weight, explanation.target_tokens, neighbours_shown);
  return explanation;
}

}  // namespace calque
