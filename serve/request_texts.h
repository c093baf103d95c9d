#pragma once
// The texts of a request to translate, as sentences, and the answer from the translations of these.

#include <string>
#include <vector>

#include "data/markup/markup_file.h"
#include "data/placeholders/placeholders.h"
#include "serve/served_runs.h"
#include "serve/text_pieces.h"

namespace calque {

enum class TextFormat { text, html };

class RequestTexts {
 public:
  using Found = std::vector<std::vector<std::string>>;  // of each sentence, best first

  // Unless `split` is set, a line of plain text is a sentence, and so is the text of a block of
  // HTML. Requires well-formed UTF-8. The translator must outlive this.
  RequestTexts(const std::vector<std::string>& texts, TextFormat format,
               const ServedTranslator& translator, bool split);

  // Of all texts, in their order.
  std::vector<std::string> sentences() const;
  // The same, each with up to `most` sentences of its text as context; a blank line ends it.
  std::vector<std::string> with_context(int64_t most) const;
  // What each translation must keep.
  PlaceholderKinds kinds() const;

  // The translations of each text, best first: the k-th joins the k-th best translation of each
  // sentence, or the last one if a sentence has fewer.
  std::vector<std::vector<std::string>> joined(const Found& found) const;

 private:
  struct Html {
    MarkupFile file;
    std::vector<std::vector<TextRange>> ranges;  // of the sentences of each text of the file
    std::vector<MarkedText> sentences;
  };
  // The translations of the sentences of a text begin with found[at].
  std::string joined_plain(const std::vector<TextPiece>& pieces, const Found& found, size_t k,
                           size_t at) const;
  std::string joined_html(const Html& html, const Found& found, size_t k, size_t at) const;

  const ServedTranslator* translator_;
  TextFormat format_;
  std::vector<std::vector<TextPiece>> plain_;  // of each text in plain text
  std::vector<Html> html_;                     // of each text in HTML
};

}  // namespace calque
