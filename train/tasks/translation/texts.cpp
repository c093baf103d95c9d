#include "train/tasks/translation/texts.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/error.h"
#include "data/placeholders/accelerator.h"
#include "train/tasks/translation/sentence_words.h"
#include "train/tasks/translation/settings.h"

namespace calque {

TextTranslator::TextTranslator(const std::vector<TranslationRun>& runs, const TextSearch& options,
                               const KeepOptions& keep)
    : runs_(runs),
      options_(options),
      models_(models_of(runs)),
      keep_(keep),
      splitter_(source_splitter(runs_.front())),
      before_(runs_.front().config.data.preceding_sentences) {
  limit_sources(runs_.front(), options_);
}

std::pair<std::string, std::string> TextTranslator::languages() const {
  const TranslationRun& run = runs_.front();
  if (run.languages.source.empty()) {
    fail("{}: translates into {} from several languages; name the source language", run.folder.path,
         run.languages.target);
  }
  return {run.languages.source, run.languages.target};
}

std::string TextTranslator::objection(std::string_view text) const {
  for (const TextRange& range : splitter_.split(text)) {
    std::string problem = objection_to(runs_, std::string(range.of(text)));
    if (!problem.empty()) return problem;
  }
  return "";
}

void TextTranslator::warn_of_long(const std::vector<std::string>& sentences, int64_t number) {
  for (const std::string& sentence : sentences) {
    const auto tokens = std::ssize(runs_.front().tokenizers.source.encode(sentence));
    const std::string warning = long_source_warning(tokens, options_);
    if (!warning.empty()) warnings_.emplace_back(number, warning);
  }
}

std::vector<std::string> TextTranslator::translate(std::span<const std::string> texts,
                                                   int64_t first_number, Order order) {
  struct Divided {
    std::string text;
    std::optional<Accelerator> accelerator;
    std::vector<TextRange> ranges;
  };
  std::vector<Divided> all;
  std::vector<std::string> sentences, inputs;
  for (const std::string& text : texts) {
    if (order == Order::independent) before_.clear();
    Divided& own = all.emplace_back(Divided{text, {}, {}});
    if (keep_.accelerators) own.accelerator = find_accelerator(text);
    if (own.accelerator) own.text = own.accelerator->text;
    own.ranges = splitter_.split(own.text);
    std::vector<std::string> some;
    for (const TextRange& range : own.ranges) some.emplace_back(range.of(own.text));
    warn_of_long(some, first_number + std::ssize(all) - 1);
    std::ranges::move(with_context(own.text, own.ranges), std::back_inserter(inputs));
    std::ranges::move(some, std::back_inserter(sentences));
  }
  // The first call is for all sentences, in their order; what follows, masked or in segments, has
  // no context.
  bool first = true;
  const auto translate_some = [&](const std::vector<std::string>& some) {
    const bool all_of_them = std::exchange(first, false) && options_.preceding > 0;
    if (!all_of_them) return translated(some);
    for (size_t i = 0; i < some.size(); ++i)
      inputs[i] = std::string(context_of(inputs[i])) + some[i];
    return translated(inputs);
  };
  const std::vector<std::string> found =
      translate_keeping(sentences, keep_.kinds, translate_some, kept_);
  std::vector<std::string> whole;
  size_t at = 0;
  for (const Divided& own : all) {
    const size_t count = own.ranges.size();
    whole.push_back(with_sentences(own.text, own.ranges, std::span(found).subspan(at, count)));
    if (own.accelerator) {
      whole.back() = with_accelerator(whole.back(), *own.accelerator, keep_.kinds);
    }
    at += count;
  }
  return whole;
}

std::vector<std::string> TextTranslator::with_context(const std::string& text,
                                                      const std::vector<TextRange>& ranges) {
  if (ranges.empty()) before_.clear();
  std::vector<std::string> sentences;
  for (const TextRange& range : ranges) {
    sentences.push_back(before_.with(std::string(range.of(text))));
  }
  return sentences;
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
