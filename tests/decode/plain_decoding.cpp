#include "decode/plain_decoding.h"

#include <algorithm>
#include <cmath>

#include "core/tape.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

Segments whole(const std::vector<int32_t>& ids) {
  return Segments::of_lengths(std::vector{static_cast<int32_t>(ids.size())});
}

std::vector<double> last_log_probabilities(const Tensor& logits) {
  const Tensor logs = log_softmax(logits);
  const auto last = logs.span().last(static_cast<size_t>(logs.cols()));
  return {last.begin(), last.end()};
}

}  // namespace

std::vector<double> next_log_probabilities(const Transformer& model,
                                           const std::vector<int32_t>& source,
                                           const std::vector<int32_t>& written) {
  std::vector<int32_t> read = source, input = {begin_id};
  if (model.options.source_end || source.empty()) read.push_back(end_id);
  input.insert(input.end(), written.begin(), written.end());
  const Tensor memory = model.encode(read, whole(read), Mode::evaluate);
  const Tensor hidden = model.decode(input, whole(input), memory, whole(read), Mode::evaluate);
  return last_log_probabilities(model.logits(hidden));
}

std::vector<double> next_log_probabilities(const LanguageModel& model,
                                           const std::vector<int32_t>& read) {
  return last_log_probabilities(model.logits(model.hidden(read, whole(read), Mode::evaluate)));
}

double log_probability(const Transformer& model, const std::vector<int32_t>& source,
                       const std::vector<int32_t>& ids) {
  double total = 0;
  std::vector<int32_t> written;
  for (const int32_t id : ids) {
    total += next_log_probabilities(model, source, written)[id];
    written.push_back(id);
  }
  return total + next_log_probabilities(model, source, written)[end_id];
}

std::vector<int32_t> plain_greedy(const Transformer& model, const std::vector<int32_t>& source,
                                  int64_t longest) {
  std::vector<int32_t> written;
  while (std::ssize(written) < longest) {
    std::vector<double> logs = next_log_probabilities(model, source, written);
    logs[begin_id] = logs[unknown_id] = -1e30;
    const auto best = static_cast<int32_t>(std::ranges::max_element(logs) - logs.begin());
    if (best == end_id) break;
    written.push_back(best);
  }
  return written;
}

std::vector<std::vector<int32_t>> random_sources(int64_t vocabulary, int64_t count, int64_t longest,
                                                 uint64_t seed) {
  Random random({.seed = seed});
  std::vector<std::vector<int32_t>> sources(static_cast<size_t>(count));
  for (std::vector<int32_t>& source : sources) {
    source.resize(1 + random.below(static_cast<uint64_t>(longest)));
    for (int32_t& id : source) {
      id = special_ids +
           static_cast<int32_t>(random.below(static_cast<uint64_t>(vocabulary - special_ids)));
    }
  }
  return sources;
}

SmallModel decided_model(TransformerOptions options, uint64_t seed) {
  options.tying = Tying::none;
  options.output_bias = true;
  SmallModel model(options, seed);
  for (real& weight : model.transformer.output.weight.span()) weight *= 3;
  return model;
}

}  // namespace calque
