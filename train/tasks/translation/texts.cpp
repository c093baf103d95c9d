#include "train/tasks/translation/texts.h"

#include <algorithm>

#include "train/tasks/translation/sentence_words.h"

namespace calque {

TextTranslator::TextTranslator(std::vector<TranslationRun> runs, const TranslationOptions& options)
    : runs_(std::move(runs)),
      options_(options),
      models_(models_of(runs_)),
      splitter_(source_splitter(runs_.front())) {
  limit_sources(runs_.front(), options_);
}

std::string TextTranslator::objection(std::string_view text) const {
  for (const TextRange& range : splitter_.split(text)) {
    std::string problem = objection_to(runs_, std::string(range.of(text)));
    if (!problem.empty()) return problem;
  }
  return "";
}

std::vector<std::string> TextTranslator::translate(std::span<const std::string> texts,
                                                   int64_t first_number) {
  std::vector<std::vector<TextRange>> ranges;
  std::vector<std::string> sentences;
  for (const std::string& text : texts) {
    ranges.push_back(splitter_.split(text));
    for (const TextRange& range : ranges.back()) sentences.emplace_back(range.of(text));
    for (const TextRange& range : ranges.back()) {
      const int64_t tokens =
          std::ssize(runs_.front().tokenizers.source.encode(std::string(range.of(text))));
      const std::string warning = long_source_warning(tokens, options_);
      if (!warning.empty()) warnings_.emplace_back(first_number + std::ssize(ranges) - 1, warning);
    }
  }
  const std::vector<std::string> found = translated(sentences);
  std::vector<std::string> whole;
  size_t at = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    whole.push_back(
        with_sentences(texts[i], ranges[i], std::span(found).subspan(at, ranges[i].size())));
    at += ranges[i].size();
  }
  return whole;
}

// As many at a time as `calque translate` reads lines: a text may be a book.
std::vector<std::string> TextTranslator::translated(const std::vector<std::string>& sentences) {
  constexpr size_t at_once = 2000;
  std::vector<std::string> translations;
  for (size_t first = 0; first < sentences.size(); first += at_once) {
    const std::span some =
        std::span(sentences).subspan(first, std::min(at_once, sentences.size() - first));
    for (const FoundTranslations& found :
         search_texts(models_, runs_.front().tokenizers, some, options_, {}, sentences_)) {
      translations.push_back(runs_.front().tokenizers.target.decode(found.best.front().ids));
      if (!found.source.empty()) tokens_written_ += std::ssize(found.best.front().ids) + 1;
    }
    sentences_ += std::ssize(some);
  }
  return translations;
}

}  // namespace calque
