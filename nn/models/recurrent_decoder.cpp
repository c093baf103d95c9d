#include "nn/models/recurrent_decoder.h"

#include <optional>

#include "core/error.h"
#include "nn/initial.h"

namespace calque {
namespace {

Tensor make_weight(const Path& at, const char* name, int64_t in, int64_t out, bool wanted) {
  if (!wanted) return {};
  return at.parameter(name, {in, out}, Role::weight, xavier_uniform(in, out));
}

Tensor make_vector(const Path& at, const char* name, int64_t size, Role role, Initial initial,
                   bool wanted) {
  return wanted ? at.parameter(name, {size}, role, std::move(initial)) : Tensor();
}

// The last states of both directions: [tokens, 2 hidden] -> [sentences, 2 hidden].
Tensor last_states(const Tensor& h, const Segments& segments) {
  std::vector<int32_t> first, last;
  for (int64_t i = 0; i < segments.count(); ++i) {
    require(segments.length(i) > 0, "RecurrentDecoder: source {} is empty", i);
    first.push_back(segments.begin(i));
    last.push_back(segments.end(i) - 1);
  }
  const int64_t hidden = h.cols() / 2;
  return concat_cols(std::vector{gather_rows(slice_cols(h, 0, hidden), last),
                                 gather_rows(slice_cols(h, hidden, 2 * hidden), first)});
}

// Collects the attention weights of a batch, step by step.
class WeightRecord {
 public:
  WeightRecord(const TimeOrder& order, const RecurrentMemory& memory) : order_(order) {
    std::vector<int64_t> queries(memory.sentences.size());
    for (int64_t step = 0; step < order.steps(); ++step) {
      for (int64_t row = 0; row < order.rows(step); ++row) ++queries[order.sentences[row]];
    }
    for (size_t i = 0; i < queries.size(); ++i) {
      weights_.emplace_back(
          Shape{1, queries[i], memory.sentences[i].end - memory.sentences[i].begin});
    }
  }

  void add(int64_t step, const std::vector<std::vector<real>>& rows) {
    for (size_t row = 0; row < rows.size(); ++row) {
      Tensor& weights = weights_[order_.sentences[row]];
      std::ranges::copy(rows[row], weights.data() + step * weights.cols());
    }
  }

  std::vector<Tensor> weights() && { return std::move(weights_); }

 private:
  const TimeOrder& order_;
  std::vector<Tensor> weights_;  // of each sentence
};

}  // namespace

RecurrentDecoder::RecurrentDecoder(const Path& at, const RecurrentOptions& options)
    : score(options.score),
      name(at.name()),
      cell(at / "cell", options.cell, options.hidden),
      first_state(at / "first_state", 2 * options.hidden, cell.state_size()),
      key(make_weight(at, "key", 2 * options.hidden, options.hidden,
                      score == ScoreKind::additive || score == ScoreKind::general)),
      key_bias(make_vector(at, "key_bias", options.hidden, Role::bias, zeros(),
                           score == ScoreKind::additive)),
      query(make_weight(at, "query", options.hidden, options.hidden, score == ScoreKind::additive)),
      additive(make_vector(at, "additive", options.hidden, Role::weight,
                           xavier_uniform(options.hidden, 1), score == ScoreKind::additive)),
      input(at / "input", options.d_model, cell.gates(),
            xavier_uniform(options.d_model, options.hidden)),
      context_weight(make_weight(at, "context", 2 * options.hidden, cell.gates(), true)),
      readout(at / "readout", 3 * options.hidden + options.d_model, options.d_model) {}

RecurrentMemory RecurrentDecoder::remember(const Tensor& h, const Segments& segments) const {
  const Tensor last = last_states(h, segments);
  RecurrentMemory memory{
      .state = tanh(first_state(last)), .keys = {}, .values = h, .sentences = {}};
  for (int32_t i = 0; i < segments.count(); ++i) {
    const bool whole = score != ScoreKind::none;
    memory.sentences.push_back(whole ? KeyRows{segments.begin(i), segments.end(i)}
                                     : KeyRows{i, i + 1});
  }
  if (score == ScoreKind::none) memory.values = last;
  if (score == ScoreKind::dot) {
    memory.keys = slice_cols(h, 0, cell.hidden) + slice_cols(h, cell.hidden, 2 * cell.hidden);
  }
  if (key) memory.keys = linear(h, key, key_bias);
  return memory;
}

Tensor RecurrentDecoder::compared(const Tensor& state) const {
  const Tensor hidden = cell.hidden_of(state);
  return query ? linear(hidden, query) : hidden;
}

RecurrentDecoder::Step RecurrentDecoder::step(const Tensor& x, const Tensor& state,
                                              const RecurrentMemory& memory,
                                              std::span<const KeyRows> sources) const {
  Tensor context;
  if (score == ScoreKind::none) {
    std::vector<int32_t> rows;
    for (const KeyRows& source : sources) rows.push_back(source.begin);
    context = gather_rows(memory.values, rows);
  } else {
    context = attend_once(compared(state), memory.keys, memory.values, additive, sources);
  }
  return {cell(x + linear(context, context_weight), state), context};
}

std::vector<std::vector<real>> RecurrentDecoder::weights(const Tensor& state,
                                                         const RecurrentMemory& memory,
                                                         std::span<const KeyRows> sources) const {
  return attend_once_weights(compared(state), memory.keys, additive, sources);
}

Tensor RecurrentDecoder::read_out(const Tensor& hidden, const Tensor& context,
                                  const Tensor& embedded) const {
  return tanh(readout(concat_cols(std::vector{hidden, context, embedded})));
}

Tensor RecurrentDecoder::operator()(const Tensor& embedded, const TimeOrder& order,
                                    const RecurrentMemory& memory, AttentionRecord* record) const {
  if (order.steps() == 0) return embedded;
  const bool recorded = record != nullptr && score != ScoreKind::none;
  std::vector<KeyRows> sources;
  for (const int32_t sentence : order.sentences) sources.push_back(memory.sentences[sentence]);
  std::optional<WeightRecord> weights_of_steps;
  if (recorded) weights_of_steps.emplace(order, memory);
  const Tensor inputs = input(embedded);
  Tensor state = gather_rows(memory.state, order.sentences);
  std::vector<Tensor> hiddens, contexts;
  for (int64_t t = 0; t < order.steps(); ++t) {
    state = slice_rows(state, 0, order.rows(t));
    const auto rows = std::span(sources).first(static_cast<size_t>(order.rows(t)));
    if (recorded) weights_of_steps->add(t, weights(state, memory, rows));
    Step next = step(slice_rows(inputs, order.starts[t], order.starts[t + 1]), state, memory, rows);
    state = next.state;
    hiddens.push_back(cell.hidden_of(state));
    contexts.push_back(next.context);
  }
  if (recorded) record->entries.push_back({name, (*std::move(weights_of_steps)).weights()});
  return read_out(concat_rows(hiddens), concat_rows(contexts), embedded);
}

}  // namespace calque
