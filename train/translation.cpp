#include "train/translation.h"

namespace calque {

std::vector<std::string> translate_texts(std::span<const Transformer* const> models,
                                         const Tokenizers& tokenizers,
                                         std::span<const std::string> texts,
                                         const SearchOptions& options,
                                         const std::function<void(int64_t)>& done) {
  std::vector<std::vector<int32_t>> sources;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<int32_t> ids = tokenizers.source.encode(texts[i]);
    if (ids.empty()) continue;
    sources.push_back(std::move(ids));
    numbers.push_back(i);
  }
  const auto found = search(models, sources, options, done);
  std::vector<std::string> translations(texts.size());
  for (size_t i = 0; i < found.size(); ++i) {
    translations[numbers[i]] = tokenizers.target.decode(found[i].front().ids);
  }
  return translations;
}

}  // namespace calque
