#pragma once
// The sentences of tagging as ids. A window is <s> words </s>; a sentence that is longer than
// data.context has several. All sentences are in memory.

#include <string>
#include <vector>

#include "data/corpora/tagged.h"
#include "train/tasks/classes/text_classifier.h"

namespace calque {

using TaggedCorpus = ClassedCorpus<TaggedSentence>;

// For read_corpora(). A sentence of a toy language and its translation are one sentence, in which
// B- and I- mark the spans of the two languages.
void read_rows(const DataConfig& data, const CorpusConfig& corpus, Split split, TaggedCorpus& to);
std::vector<std::string> texts_of(const std::vector<TaggedCorpus>& corpora);
Labels labels_of(const std::vector<TaggedCorpus>& corpora);

struct WordWindow {
  std::vector<int32_t> ids;
  std::vector<int32_t> starts;  // [words] the first subword of each word, as an index of ids
};
// Appends the windows of a sentence. A word that exceeds a window is cut.
void append_windows(const std::vector<std::string>& words, const Tokenizer& tokenizer,
                    int64_t context, std::vector<WordWindow>& out);

// Examples of two columns, ids and starts. Refers to the windows.
ExampleSet example_set(const std::vector<WordWindow>& windows);

// Its examples are windows; as classed examples they are words.
struct TaggingData : ClassedExamples {
  std::vector<WordWindow> examples;
  std::vector<SharedRange> windows;
  std::vector<int64_t> first_words = {0};  // [windows + 1] the first word of each window
  std::vector<int64_t> sentence_ends;      // [sentences] the words up to the end of each
  int64_t tokens = 0;
  int64_t skipped = 0;  // sentences that are not UTF-8

  std::string size_text() const;  // "3 sentences, 12 words"
  std::string summary() const;    // "3 sentences, 12 words, 80 tokens, 0 sentences skipped"
  ExampleSet set() const;  // examples of three columns: ids, starts, tags; refers to this object
  // The tags of each sentence by their names.
  std::vector<std::vector<std::string>> sentences(const std::vector<int32_t>& tags,
                                                  const Labels& names) const;
};

// Throws an Error for a tag that is not among `labels`.
TaggingData encode_corpora(const std::vector<TaggedCorpus>& corpora, const Labels& labels,
                           const Tokenizer& tokenizer, int64_t context);

}  // namespace calque
