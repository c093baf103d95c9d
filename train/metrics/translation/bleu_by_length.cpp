#include "train/metrics/translation/bleu_by_length.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "train/metrics/tokenization/characters.h"

namespace calque {
namespace {

int64_t words_in(const std::string& text) {
  std::vector<std::string_view> words;
  split_words(text, words);
  return std::ssize(words);
}

}  // namespace

std::vector<LengthScore> bleu_by_length(const std::vector<std::string>& sources,
                                        const std::vector<std::string>& outputs,
                                        const std::vector<std::string>& references,
                                        const BleuOptions& options, int64_t width) {
  require(sources.size() == outputs.size() && sources.size() == references.size(),
          "bleu_by_length: {} sources, {} outputs, {} references", sources.size(), outputs.size(),
          references.size());
  struct Part {
    std::vector<std::string> outputs, references;
  };
  std::map<int64_t, Part> parts;
  for (size_t i = 0; i < sources.size(); ++i) {
    Part& part = parts[(std::max<int64_t>(1, words_in(sources[i])) - 1) / width];
    part.outputs.push_back(outputs[i]);
    part.references.push_back(references[i]);
  }
  std::vector<LengthScore> scores;
  for (const auto& [step, part] : parts) {
    const std::vector<std::vector<std::string>> one{part.references};
    scores.push_back({step * width + 1, (step + 1) * width, std::ssize(part.outputs),
                      bleu(part.outputs, one, options)});
  }
  return scores;
}

std::string to_text(const std::vector<LengthScore>& scores) {
  std::string text;
  for (const LengthScore& each : scores) {
    text += fmt::format("  {:3} to {:3} words  {:6} sentences  BLEU {:5.2f}\n", each.shortest,
                        each.longest, each.sentences, each.bleu.score);
  }
  return text;
}

}  // namespace calque
