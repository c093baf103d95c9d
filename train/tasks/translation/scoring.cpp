#include "train/tasks/translation/scoring.h"

#include "core/error.h"
#include "data/text/utf8.h"

namespace calque {

std::vector<SequenceScore> score_texts(const TranslationRun& run,
                                       std::span<const std::string> sources,
                                       std::span<const std::string> targets,
                                       const PlaceOfText& place) {
  require(sources.size() == targets.size(), "score_texts: {} sources, but {} targets",
          sources.size(), targets.size());
  const int64_t positions = run.model().learned_positions();
  const auto encode = [&](std::span<const std::string> texts, PairSide side) {
    const bool is_source = side == PairSide::source;
    const Tokenizer& tokenizer = is_source ? run.tokenizers.source : run.tokenizers.target;
    std::vector<std::vector<int32_t>> all;
    for (size_t i = 0; i < texts.size(); ++i) {
      const std::string problem = utf8_problem(texts[i]);
      if (!problem.empty()) fail("{}: {}", place(side, i), problem);
      all.push_back(tokenizer.encode(texts[i]));
      if (is_source) all.back() = run.tokenizers.read(all.back());
      const int64_t tokens = std::ssize(all.back()) + 1;
      if (positions > 0 && tokens > positions) {
        fail("{}: {} tokens, but the model has learned {} positions", place(side, i), tokens,
             positions);
      }
    }
    return all;
  };
  return score_pairs(run.model(), encode(sources, PairSide::source),
                     encode(targets, PairSide::target));
}

}  // namespace calque
