#include "train/tasks/translation/word_alignment.h"

#include <algorithm>

#include "decode/alignment.h"
#include "train/tasks/translation/parts.h"
#include "train/tasks/translation/token_words.h"

namespace calque {

std::vector<AlignedWords> align_words(const TranslationRun& run,
                                      const std::vector<std::vector<int32_t>>& sources,
                                      const std::vector<std::vector<int32_t>>& targets) {
  const auto places =
      attended_source_tokens(run.model(), sources, targets, run.tokenizers.before_source);
  std::vector<AlignedWords> all;
  for (size_t i = 0; i < sources.size(); ++i) {
    TokenWords from = token_words(run.tokenizers.source, sources[i]);
    TokenWords to = token_words(run.tokenizers.target, targets[i]);
    AlignedWords aligned{std::move(from.texts), std::move(to.texts), {}};
    for (size_t t = 0; t < places[i].size(); ++t) {
      aligned.links.emplace_back(from.word_of[static_cast<size_t>(places[i][t])], to.word_of[t]);
    }
    std::ranges::sort(aligned.links);
    aligned.links.erase(std::unique(aligned.links.begin(), aligned.links.end()),
                        aligned.links.end());
    all.push_back(std::move(aligned));
  }
  return all;
}

AlignedWords align_words(const TranslationRun& run, const FoundTranslations& found, size_t k) {
  AlignedWords whole;
  if (found.source.empty()) return whole;
  for (const AlignedWords& part : align_words(run, divided(found.source, found.source_ends),
                                              divided(found.best[k].ids, found.target_ends[k]))) {
    for (const auto& [i, j] : part.links) {
      whole.links.emplace_back(static_cast<int32_t>(whole.source.size()) + i,
                               static_cast<int32_t>(whole.target.size()) + j);
    }
    whole.source.insert(whole.source.end(), part.source.begin(), part.source.end());
    whole.target.insert(whole.target.end(), part.target.begin(), part.target.end());
  }
  return whole;
}

}  // namespace calque
