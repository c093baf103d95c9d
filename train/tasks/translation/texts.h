#pragma once
// Translates texts of any number of sentences and paragraphs: sentence by sentence, as one batch.
// The white space between sentences, line ends included, is that of the text.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/placeholders/kept_text.h"
#include "data/sentences/splitter.h"
#include "train/tasks/translation/context.h"
#include "train/tasks/translation/run.h"
#include "train/tasks/translation/text_search.h"

namespace calque {

// What every translation repeats exactly. An accelerator is that of a whole text.
struct KeepOptions {
  PlaceholderKinds kinds = {};
  bool accelerators = false;
};

class TextTranslator {
 public:
  // Several runs form an ensemble and must have the same vocabularies. They must outlive the
  // translator.
  TextTranslator(const std::vector<TranslationRun>& runs, const TextSearch& options,
                 const KeepOptions& keep = {});

  // Returns why a text, which is UTF-8, cannot be translated, or an empty text.
  std::string objection(std::string_view text) const;

  // The translations of texts without objections, numbered from `first_number`. For a run with
  // data.preceding_sentences, sentences are the context of later ones: of their own text or of
  // consecutive texts, those of earlier calls included, up to one without sentences.
  enum class Order { consecutive, independent };
  std::vector<std::string> translate(std::span<const std::string> texts, int64_t first_number,
                                     Order order = Order::consecutive);

  // Source and target. Throws an Error if the source is not known.
  std::pair<std::string, std::string> languages() const;
  int64_t sentences() const { return sentences_; }  // translated
  int64_t tokens_written() const { return tokens_written_; }
  // How the sentences kept their placeholders.
  const KeptCounts& kept() const { return kept_; }
  // Returns the warnings since the last call, each with the number of its text.
  std::vector<std::pair<int64_t, std::string>> take_warnings() {
    return std::exchange(warnings_, {});
  }

 private:
  void warn_of_long(const std::vector<std::string>& sentences, int64_t number);
  std::vector<std::string> translated(const std::vector<std::string>& sentences);
  std::vector<std::string> with_context(const std::string& text,
                                        const std::vector<TextRange>& ranges);

  std::span<const TranslationRun> runs_;
  TextSearch options_;
  std::vector<Translator> models_;
  KeepOptions keep_;
  KeptCounts kept_;
  SentenceSplitter splitter_;
  PrecedingSentences before_;
  int64_t sentences_ = 0, tokens_written_ = 0;
  std::vector<std::pair<int64_t, std::string>> warnings_;
};

}  // namespace calque
