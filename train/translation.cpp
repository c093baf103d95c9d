#include "train/translation.h"

namespace calque {

std::vector<FoundTranslations> search_texts(std::span<const Transformer* const> models,
                                            const Tokenizers& tokenizers,
                                            std::span<const std::string> texts,
                                            const SearchOptions& asked,
                                            std::span<const std::string> prefixes,
                                            const std::function<void(int64_t)>& done) {
  std::vector<std::vector<int32_t>> sources, beginnings;
  for (const std::string& text : texts) sources.push_back(tokenizers.source.encode(text));
  for (const std::string& text : prefixes) beginnings.push_back(tokenizers.target.encode(text));
  SearchOptions options = asked;
  if (!prefixes.empty()) options.prefixes = &beginnings;
  std::vector<std::vector<Hypothesis>> best = search(models, sources, options, done);
  std::vector<FoundTranslations> found;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (sources[i].empty()) best[i] = {Hypothesis()};  // of nothing, not of the end alone
    found.push_back({std::move(sources[i]), std::move(best[i])});
  }
  return found;
}

std::vector<std::string> translate_texts(std::span<const Transformer* const> models,
                                         const Tokenizers& tokenizers,
                                         std::span<const std::string> texts,
                                         const SearchOptions& options,
                                         const std::function<void(int64_t)>& done) {
  std::vector<std::string> translations;
  for (const FoundTranslations& found :
       search_texts(models, tokenizers, texts, options, {}, done)) {
    translations.push_back(tokenizers.target.decode(found.best.front().ids));
  }
  return translations;
}

}  // namespace calque
