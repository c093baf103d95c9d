#include "train/tasks/translation/search.h"

namespace calque {
namespace {

// The sources that have tokens, with their prefixes and numbers.
struct SearchInputs {
  std::vector<std::vector<int32_t>> sources, prefixes;
  std::vector<int64_t> numbers;
};

}  // namespace

std::vector<std::vector<Hypothesis>> search_sources(std::span<const Translator> models,
                                                    std::span<const std::vector<int32_t>> sources,
                                                    const TranslationOptions& asked,
                                                    std::span<const std::vector<int32_t>> prefixes,
                                                    int64_t first_number,
                                                    const std::function<void(int64_t)>& done) {
  std::vector<std::vector<Hypothesis>> found(sources.size());
  SearchInputs inputs;
  for (size_t i = 0; i < sources.size(); ++i) {
    std::vector<int32_t> beginning;
    if (!prefixes.empty()) beginning = prefixes[i];
    if (sources[i].empty()) {
      found[i] = {Hypothesis{.ids = std::move(beginning)}};
      continue;
    }
    inputs.sources.push_back(sources[i]);
    inputs.prefixes.push_back(std::move(beginning));
    inputs.numbers.push_back(first_number + static_cast<int64_t>(i));
  }
  TranslationOptions options = asked;
  options.numbers = &inputs.numbers;
  if (!prefixes.empty()) options.prefixes = &inputs.prefixes;
  auto best = translate(models, inputs.sources, options, done);
  for (size_t k = 0; k < best.size(); ++k) {
    found[static_cast<size_t>(inputs.numbers[k] - first_number)] = std::move(best[k]);
  }
  return found;
}

std::vector<FoundTranslations> search_texts(std::span<const Translator> models,
                                            const Tokenizers& tokenizers,
                                            std::span<const std::string> texts,
                                            const TranslationOptions& options,
                                            std::span<const std::string> prefixes,
                                            int64_t first_number,
                                            const std::function<void(int64_t)>& done) {
  std::vector<std::vector<int32_t>> sources, beginnings;
  for (const std::string& text : texts) sources.push_back(tokenizers.source.encode(text));
  for (const std::string& text : prefixes) beginnings.push_back(tokenizers.target.encode(text));
  auto best = search_sources(models, sources, options, beginnings, first_number, done);
  std::vector<FoundTranslations> found;
  for (size_t i = 0; i < texts.size(); ++i) {
    found.push_back({std::move(sources[i]), std::move(best[i])});
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
