#include "train/tasks/translation/document.h"

#include <unordered_map>

#include "core/error.h"
#include "train/tasks/translation/marked_sentence.h"
#include "train/tasks/translation/sentence_words.h"

namespace calque {
namespace {

// Texts whose sentences are translated together.
struct SomeTexts {
  size_t begin, end;
  std::vector<std::vector<TextRange>> ranges;  // of the sentences
  std::vector<MarkedText> sentences;
};

}  // namespace

DocumentTranslator::DocumentTranslator(const std::vector<TranslationRun>& runs,
                                       const TextSearch& options)
    : run_(runs.front()),
      splitter_(source_splitter(run_)),
      translator_(runs, options, {.kinds = kept_in_markup}) {}

void DocumentTranslator::check(const MarkupFile& file, const std::string& name) const {
  for (const MarkupText& each : file.texts()) {
    const std::string objection = translator_.objection(each.text.text);
    if (!objection.empty()) fail("{}:{}: {}", name, file.line_of(each), objection);
  }
}

std::string DocumentTranslator::translate(MarkupFile file, const std::string& name,
                                          const std::function<void(int64_t)>& done) {
  constexpr size_t sentences_at_once = 2000;
  check(file, name);
  file.change_language(run_.languages.source, run_.languages.target, name);
  const std::vector<MarkupText>& texts = file.texts();
  std::vector<MarkedText> translations;
  while (translations.size() < texts.size()) {
    SomeTexts some{translations.size(), translations.size(), {}, {}};
    while (some.end < texts.size() && some.sentences.size() < sentences_at_once) {
      const MarkedText& text = texts[some.end++].text;
      some.ranges.push_back(splitter_.split(text.text));
      std::ranges::move(marked_sentences(text, some.ranges.back()),
                        std::back_inserter(some.sentences));
    }
    const std::vector<MarkedText> found = translated(some.sentences);
    const auto warnings = translator_.take_warnings();
    if (counts_.long_sentences == 0 && !warnings.empty()) {
      counts_.first_warning = warnings.front().second;
    }
    counts_.long_sentences += std::ssize(warnings);
    size_t at = 0;
    for (size_t i = some.begin; i < some.end; ++i) {
      const std::vector<TextRange>& ranges = some.ranges[i - some.begin];
      translations.push_back(with_marked_sentences(texts[i].text, ranges,
                                                   std::span(found).subspan(at, ranges.size())));
      at += ranges.size();
    }
    counts_.texts += static_cast<int64_t>(some.end - some.begin);
    if (done) done(counts_.sentences);
  }
  return file.with(translations);
}

// Equal sentences are translated once.
std::vector<MarkedText> DocumentTranslator::translated(const std::vector<MarkedText>& sentences) {
  std::unordered_map<std::string, size_t> indices;
  std::vector<std::string> inputs;
  std::vector<size_t> input_of;
  for (const MarkedText& each : sentences) {
    std::string input = marked_input(run_, each);
    const auto [known, added] = indices.emplace(input, inputs.size());
    if (added) inputs.push_back(std::move(input));
    input_of.push_back(known->second);
  }
  const std::vector<std::string> found =
      translator_.translate(inputs, 0, TextTranslator::Order::independent);
  std::vector<MarkedText> all;
  for (size_t i = 0; i < sentences.size(); ++i) {
    all.push_back(marked_translation(run_, sentences[i], found[input_of[i]]));
    counts_.tags += std::ssize(sentences[i].tags);
  }
  counts_.sentences += std::ssize(sentences);
  return all;
}

}  // namespace calque
