#include "train/tasks/translation/pair_scores.h"

#include <fmt/format.h>

#include <algorithm>

namespace calque {
namespace {

double mean(const std::vector<PairScores>& pairs, double TranslationScores::*score) {
  double sum = 0;
  for (const PairScores& pair : pairs) sum += pair.scores.*score;
  return sum / static_cast<double>(pairs.size());
}

}  // namespace

std::vector<PairScores> score_pairs_of_languages(const std::vector<std::string>& outputs,
                                                 const ParallelTexts& texts, const Config& config) {
  std::vector<PairScores> pairs;
  for (const ParallelTexts::Part& part : texts.parts) {
    if (std::ranges::find(pairs, part.pair, &PairScores::pair) == pairs.end()) {
      pairs.push_back({.pair = part.pair});
    }
  }
  for (PairScores& pair : pairs) {
    std::vector<std::string> own, references;
    for (const ParallelTexts::Part& part : texts.parts) {
      if (part.pair != pair.pair) continue;
      own.insert(own.end(), outputs.begin() + static_cast<std::ptrdiff_t>(part.begin),
                 outputs.begin() + static_cast<std::ptrdiff_t>(part.end));
      references.insert(references.end(),
                        texts.references.begin() + static_cast<std::ptrdiff_t>(part.begin),
                        texts.references.begin() + static_cast<std::ptrdiff_t>(part.end));
    }
    pair.sentences = std::ssize(own);
    pair.scores = score_translations(own, references, config);
  }
  return pairs;
}

double mean_bleu(const std::vector<PairScores>& pairs) {
  return mean(pairs, &TranslationScores::bleu);
}
double mean_chrf(const std::vector<PairScores>& pairs) {
  return mean(pairs, &TranslationScores::chrf);
}

ResultTable table_of(const std::vector<PairScores>& pairs) {
  ResultTable table{.title = "Scores by language pair",
                    .columns = {"pair", "sentences", "BLEU", "chrF", "exact, in %"},
                    .rows = {}};
  const auto add = [&](const std::string& name, int64_t sentences, double bleu, double chrf,
                       double exact) {
    table.rows.push_back({name, fmt::format("{}", sentences), fmt::format("{:.2f}", bleu),
                          fmt::format("{:.2f}", chrf), fmt::format("{:.2f}", 100 * exact)});
  };
  int64_t sentences = 0;
  for (const PairScores& pair : pairs) {
    add(pair.pair, pair.sentences, pair.scores.bleu, pair.scores.chrf, pair.scores.exact);
    sentences += pair.sentences;
  }
  add("mean", sentences, mean_bleu(pairs), mean_chrf(pairs),
      mean(pairs, &TranslationScores::exact));
  return table;
}

}  // namespace calque
