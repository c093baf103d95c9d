#include "decode/score.h"

#include "core/ops.h"
#include "core/tape.h"
#include "data/pair_batch.h"

namespace calque {
namespace {

// log_probabilities() never holds all the logits of the batch.
void score(const Transformer& model, const PairBatch& batch, std::vector<SequenceScore>& scores) {
  const Tensor memory = model.encode(batch.source, batch.source_segments, Mode::evaluate);
  const Tensor hidden = model.decode(batch.decoder_input, batch.target_segments, memory,
                                     batch.source_segments, Mode::evaluate);
  const std::vector<real> logs =
      log_probabilities(hidden, model.output.weight, model.output.bias, batch.expected);
  const Segments& targets = batch.target_segments;
  for (int64_t i = 0; i < targets.count(); ++i) {
    SequenceScore score{.tokens = targets.length(i)};
    for (int32_t t = targets.begin(i); t < targets.end(i); ++t) {
      score.log_probability += double(logs[t]);
    }
    scores.push_back(score);
  }
}

}  // namespace

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
