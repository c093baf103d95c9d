#pragma once
// The sentences before a sentence, as its context (data.preceding_sentences):
//
//   The cow sleeps. <sep> It is tired.
//
// An empty line ends a document, and so does the end of a corpus: no context crosses it.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpora/corpus.h"
#include "train/config/config.h"

namespace calque {

inline constexpr std::string_view context_mark = "<sep>";

// The sentence of a text with context, and the context, which ends before it.
std::string_view sentence_of(std::string_view text);
std::string_view context_of(std::string_view text);
// The context without its first sentence. Requires a context.
std::string_view shorter_context(std::string_view context);

class PrecedingSentences {
 public:
  explicit PrecedingSentences(int64_t most) : most_(most) {}

  // The context of the next sentence; empty at the beginning of a document.
  std::string context() const;
  // Adds the next sentence; an empty one ends the document.
  void add(std::string_view sentence);
  // The sentence with its context; the sentence is then the context of the next.
  std::string with(const std::string& sentence);
  void clear() { sentences_.clear(); }

 private:
  int64_t most_;
  std::deque<std::string> sentences_;
};

// Consecutive sentences, each with its context.
std::vector<std::string> with_contexts(const std::vector<std::string>& sentences, int64_t most);

// Training corpora whose sources have their context, made in the folder or read there.
std::vector<CorpusSource> with_contexts(const std::vector<CorpusSource>& sources,
                                        const DataConfig& data, const std::string& folder);
// The same in memory, for validation and tests.
CorpusSource with_contexts_in_memory(const CorpusSource& source, const DataConfig& data);

}  // namespace calque
