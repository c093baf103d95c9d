#include "decode/score.h"

#include <algorithm>
#include <iterator>

#include "core/ops.h"
#include "core/tape.h"
#include "data/pair_batch.h"

namespace calque {
namespace {

// Never holds all the logits of the batch.
void score(const Transformer& model, const PairBatch& batch, std::vector<SequenceScore>& scores) {
  const Tensor memory = model.encode(batch.source, batch.source_segments, Mode::evaluate);
  const Tensor hidden = model.decode(batch.decoder_input, batch.target_segments, memory,
                                     batch.source_segments, Mode::evaluate);
  const std::vector<real> logs =
      log_probabilities(hidden, model.output.weight, model.output.bias, batch.expected);
  std::ranges::copy(scores_of(logs, batch.target_segments), std::back_inserter(scores));
}

}  // namespace

std::vector<SequenceScore> scores_of(std::span<const real> log_probabilities,
                                     const Segments& segments) {
  require(std::ssize(log_probabilities) == segments.tokens(),
          "scores_of: {} log-probabilities for segments of {} tokens", log_probabilities.size(),
          segments.tokens());
  std::vector<SequenceScore> scores;
  for (int64_t i = 0; i < segments.count(); ++i) {
    SequenceScore score{.tokens = segments.length(i)};
    for (int32_t t = segments.begin(i); t < segments.end(i); ++t) {
      score.log_probability += double(log_probabilities[static_cast<size_t>(t)]);
    }
    scores.push_back(score);
  }
  return scores;
}

std::vector<SequenceScore> score_pairs(const Transformer& model,
                                       const std::vector<std::vector<int32_t>>& sources,
                                       const std::vector<std::vector<int32_t>>& targets,
                                       int64_t batch_tokens) {
  require(sources.size() == targets.size(), "score_pairs: {} sources and {} targets",
          sources.size(), targets.size());
  const NoGradient nothing_recorded;
  std::vector<SequenceScore> scores;
  PairBatch batch;
  for (size_t i = 0; i < sources.size(); ++i) {
    append_pair(sources[i], targets[i], batch);
    if (batch.target_segments.tokens() < batch_tokens && i + 1 < sources.size()) continue;
    score(model, batch, scores);
    batch = {};
  }
  return scores;
}

}  // namespace calque
