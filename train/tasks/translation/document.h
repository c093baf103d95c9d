#pragma once
// Translates files with markup (data/markup/): sentence by sentence, with the tags of each sentence
// placed in its translation.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/markup/markup_file.h"
#include "data/sentences/splitter.h"
#include "train/tasks/translation/texts.h"

namespace calque {

struct DocumentCounts {
  int64_t texts = 0, sentences = 0, tags = 0;  // tags: within sentences
  int64_t long_sentences = 0;                  // that have a warning
  std::string first_warning;                   // about the first of them
};

class DocumentTranslator {
 public:
  // The first run of an ensemble aligns words. The runs must outlive the translator.
  DocumentTranslator(const std::vector<TranslationRun>& runs, const TextSearch& options);

  // The file with its texts translated, and the language of the target in place of that of the
  // source. Throws an Error that names the file and the line for a text that the model cannot read.
  // `done` gets the number of sentences so far.
  std::string translate(MarkupFile file, const std::string& name,
                        const std::function<void(int64_t)>& done = {});

  const DocumentCounts& counts() const { return counts_; }
  int64_t tokens_written() const { return translator_.tokens_written(); }

 private:
  void check(const MarkupFile& file, const std::string& name) const;
  std::vector<MarkedText> translated(const std::vector<MarkedText>& sentences);

  const TranslationRun& run_;
  SentenceSplitter splitter_;
  TextTranslator translator_;
  DocumentCounts counts_;
};

}  // namespace calque
