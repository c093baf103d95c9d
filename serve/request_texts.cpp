#include "serve/request_texts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "train/tasks/translation/context.h"
#include "train/tasks/translation/marked_sentence.h"

namespace calque {
namespace {

const std::string& of_rank(const std::vector<std::string>& best, size_t k) {
  return best[std::min(k, best.size() - 1)];
}

}  // namespace

RequestTexts::RequestTexts(const std::vector<std::string>& texts, TextFormat format,
                           const ServedTranslator& translator, bool split)
    : translator_(&translator), format_(format) {
  for (const std::string& text : texts) {
    if (format == TextFormat::text) {
      std::vector<TextPiece> pieces = line_pieces(text);
      plain_.push_back(split ? divided(std::move(pieces), translator.splitter) : std::move(pieces));
      continue;
    }
    Html html{MarkupFile(text, MarkupKind::html, "q"), {}, {}};
    html.file.change_language(translator.source, translator.target, "the text");
    for (const MarkupText& each : html.file.texts()) {
      const std::string& words = each.text.text;
      html.ranges.push_back(split ? translator.splitter.split(words)
                                  : std::vector{TextRange{0, words.size()}});
      std::ranges::move(marked_sentences(each.text, html.ranges.back()),
                        std::back_inserter(html.sentences));
    }
    html_.push_back(std::move(html));
  }
}

PlaceholderKinds RequestTexts::kinds() const {
  return format_ == TextFormat::html ? kept_in_markup : PlaceholderKinds::all_but_numbers();
}

std::vector<std::string> RequestTexts::sentences() const {
  std::vector<std::string> all;
  for (const auto& pieces : plain_) {
    for (const TextPiece& piece : pieces) {
      if (piece.sentence) all.push_back(piece.text);
    }
  }
  for (const Html& html : html_) {
    for (const MarkedText& each : html.sentences) {
      all.push_back(marked_input(translator_->run, each));
    }
  }
  return all;
}

std::vector<std::string> RequestTexts::with_context(int64_t most) const {
  std::vector<std::string> all;
  for (const auto& pieces : plain_) {
    PrecedingSentences before(most);
    int64_t line_ends = 0;
    for (const TextPiece& piece : pieces) {
      if (!piece.sentence) {
        line_ends += std::ranges::count(piece.text, '\n');
        if (line_ends > 1) before.clear();
        continue;
      }
      line_ends = 0;
      all.push_back(before.with(piece.text));
    }
  }
  for (const Html& html : html_) {
    PrecedingSentences before(most);
    for (const MarkedText& each : html.sentences) {
      all.push_back(before.with(marked_input(translator_->run, each)));
    }
  }
  return all;
}

std::vector<std::vector<std::string>> RequestTexts::joined(const Found& found) const {
  std::vector<std::vector<std::string>> results;
  size_t at = 0;
  // A text of so many sentences, whose k-th translations join(k) joins.
  const auto add = [&](size_t sentences, const auto& join) {
    size_t count = 1;
    for (size_t i = at; i < at + sentences; ++i) count = std::max(count, found[i].size());
    std::vector<std::string>& own = results.emplace_back();
    for (size_t k = 0; k < count; ++k) own.push_back(join(k));
    at += sentences;
  };
  for (const auto& pieces : plain_) {
    const auto sentences = std::ranges::count_if(pieces, &TextPiece::sentence);
    add(static_cast<size_t>(sentences),
        [&](size_t k) { return joined_plain(pieces, found, k, at); });
  }
  for (const Html& html : html_) {
    add(html.sentences.size(), [&](size_t k) { return joined_html(html, found, k, at); });
  }
  return results;
}

std::string RequestTexts::joined_plain(const std::vector<TextPiece>& pieces, const Found& found,
                                       size_t k, size_t at) const {
  std::string text;
  for (const TextPiece& piece : pieces) {
    text += piece.sentence ? of_rank(found[at++], k) : piece.text;
  }
  return text;
}

std::string RequestTexts::joined_html(const Html& html, const Found& found, size_t k,
                                      size_t at) const {
  std::vector<MarkedText> sentences, translations;
  for (const MarkedText& each : html.sentences) {
    sentences.push_back(marked_translation(translator_->run, each, of_rank(found[at++], k)));
  }
  size_t first = 0;
  for (size_t i = 0; i < html.ranges.size(); ++i) {
    const std::vector<TextRange>& ranges = html.ranges[i];
    translations.push_back(with_marked_sentences(
        html.file.texts()[i].text, ranges, std::span(sentences).subspan(first, ranges.size())));
    first += ranges.size();
  }
  return html.file.with(translations);
}

}  // namespace calque
