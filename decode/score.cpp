#include "decode/score.h"

#include "core/ops.h"
#include "core/tape.h"
#include "data/batch.h"

namespace calque {
namespace {

// Never holds all the logits of the batch.
void score(const Transformer& model, const Batch& batch, std::vector<PairScore>& scores) {
  const Tensor memory = model.encode(batch.source, batch.source_segments, Mode::evaluate);
  const Tensor hidden = model.decode(batch.decoder_input, batch.target_segments, memory,
                                     batch.source_segments, Mode::evaluate);
  const std::vector<real> logs =
      log_probabilities(hidden, model.output.weight, model.output.bias, batch.expected);
  for (int64_t pair = 0; pair < batch.sentences(); ++pair) {
    PairScore result{.tokens = batch.target_segments.length(pair)};
    for (int32_t t = batch.target_segments.begin(pair); t < batch.target_segments.end(pair); ++t) {
      result.log_probability += double(logs[static_cast<size_t>(t)]);
    }
    scores.push_back(result);
  }
}

}  // namespace

std::vector<PairScore> score_pairs(const Transformer& model,
                                   const std::vector<std::vector<int32_t>>& sources,
                                   const std::vector<std::vector<int32_t>>& targets,
                                   int64_t batch_tokens) {
  require(sources.size() == targets.size(), "score_pairs: {} sources and {} targets",
          sources.size(), targets.size());
  const NoGradient nothing_recorded;
  std::vector<PairScore> scores;
  Batch batch;
  for (size_t i = 0; i < sources.size(); ++i) {
    append_pair(sources[i], targets[i], static_cast<int64_t>(i), batch);
    if (batch.target_segments.tokens() < batch_tokens && i + 1 < sources.size()) continue;
    score(model, batch, scores);
    batch = {};
  }
  return scores;
}

}  // namespace calque
