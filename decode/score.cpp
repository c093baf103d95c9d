#include "decode/score.h"

#include "core/tape.h"
#include "data/vocabulary.h"
#include "decode/next_tokens.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

// What the encoder and the decoder read of several pairs, and what is to be expected.
struct Reading {
  Ids source, input, expected;
  Segments sources, targets;

  void add(const Ids& from, const Ids& to) {
    source.insert(source.end(), from.begin(), from.end());
    source.push_back(end_id);
    input.push_back(begin_id);
    input.insert(input.end(), to.begin(), to.end());
    expected.insert(expected.end(), to.begin(), to.end());
    expected.push_back(end_id);
    sources.append(static_cast<int32_t>(from.size()) + 1);
    targets.append(static_cast<int32_t>(to.size()) + 1);
  }
};

void score(const Transformer& model, const Reading& reading, std::vector<PairScore>& scores) {
  const Tensor memory = model.encode(reading.source, reading.sources, Mode::evaluate);
  const Tensor logits = model.logits(
      model.decode(reading.input, reading.targets, memory, reading.sources, Mode::evaluate));
  const auto vocabulary = static_cast<size_t>(logits.cols());
  for (int64_t pair = 0; pair < reading.targets.count(); ++pair) {
    PairScore result{.tokens = reading.targets.length(pair)};
    for (int32_t t = reading.targets.begin(pair); t < reading.targets.end(pair); ++t) {
      const auto row = logits.span().subspan(static_cast<size_t>(t) * vocabulary, vocabulary);
      result.log_probability +=
          double(row[reading.expected[t]]) - double(ScoreRow(row).log_sum_exp());
    }
    scores.push_back(result);
  }
}

}  // namespace

std::vector<PairScore> score_pairs(const Transformer& model, const std::vector<Ids>& sources,
                                   const std::vector<Ids>& targets, int64_t batch_tokens) {
  require(sources.size() == targets.size(), "score_pairs: {} sources and {} targets",
          sources.size(), targets.size());
  const NoGradient nothing_recorded;
  std::vector<PairScore> scores;
  Reading reading;
  for (size_t i = 0; i < sources.size(); ++i) {
    reading.add(sources[i], targets[i]);
    if (reading.targets.tokens() < batch_tokens && i + 1 < sources.size()) continue;
    score(model, reading, scores);
    reading = {};
  }
  return scores;
}

}  // namespace calque
