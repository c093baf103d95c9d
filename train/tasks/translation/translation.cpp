#include "train/tasks/translation/translation.h"

namespace calque {
namespace {

// The texts that have tokens, for the search.
struct Searched {
  std::vector<std::vector<int32_t>> sources, prefixes;
  std::vector<int64_t> numbers;
};

}  // namespace

std::vector<FoundTranslations> search_texts(std::span<const Translator> models,
                                            const Tokenizers& tokenizers,
                                            std::span<const std::string> texts,
                                            const TranslationOptions& asked,
                                            std::span<const std::string> prefixes,
                                            int64_t first_number,
                                            const std::function<void(int64_t)>& done) {
  std::vector<FoundTranslations> found(texts.size());
  Searched searched;
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<int32_t> beginning;
    if (!prefixes.empty()) beginning = tokenizers.target.encode(prefixes[i]);
    found[i].source = tokenizers.source.encode(texts[i]);
    if (found[i].source.empty()) {
      found[i].best = {Hypothesis{.ids = std::move(beginning)}};
      continue;
    }
    searched.sources.push_back(found[i].source);
    searched.prefixes.push_back(std::move(beginning));
    searched.numbers.push_back(first_number + static_cast<int64_t>(i));
  }
  TranslationOptions options = asked;
  options.numbers = &searched.numbers;
  if (!prefixes.empty()) options.prefixes = &searched.prefixes;
  auto best = translate(models, searched.sources, options, done);
  for (size_t k = 0; k < best.size(); ++k) {
    found[static_cast<size_t>(searched.numbers[k] - first_number)].best = std::move(best[k]);
  }
  return found;
}

std::vector<std::string> translate_texts(std::span<const Translator> models,
                                         const Tokenizers& tokenizers,
                                         std::span<const std::string> texts,
                                         const TranslationOptions& options,
                                         const std::function<void(int64_t)>& done) {
  std::vector<std::string> translations;
  for (const FoundTranslations& found :
       search_texts(models, tokenizers, texts, options, {}, 0, done)) {
    translations.push_back(tokenizers.target.decode(found.best.front().ids));
  }
  return translations;
}

}  // namespace calque
