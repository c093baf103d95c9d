#pragma once
// The examples of text classification as ids: <s> a </s>, or <s> a </s> b </s> for two texts. All
// examples are in memory.

#include <string>
#include <vector>

#include "data/batches/stream.h"
#include "data/tokenizers/tokenizer.h"
#include "train/tasks/classification/corpora.h"

namespace calque {

struct EncodedText {
  std::vector<int32_t> ids, kinds;  // kind 0: the first text, kind 1: the second
};
// The longer text is cut until the example has at most `context` ids.
EncodedText encode_texts(const std::vector<std::string>& texts, const Tokenizer& tokenizer,
                         int64_t context);

// The texts as examples of two columns, ids and kinds, without names; refers to them.
ExampleSet example_set(const std::vector<EncodedText>& texts);

struct ClassificationData : ClassedExamples {
  std::vector<EncodedText> examples;
  int64_t tokens = 0;
  int64_t skipped = 0;  // lines that are not UTF-8

  std::string size_text() const;  // "12 examples"
  std::string summary() const;    // "12 examples, 80 tokens, 0 lines skipped"
  ExampleSet set() const;  // examples of three columns: ids, kinds, label; refers to this object
};

// Throws an Error for a label that is not among `labels`.
ClassificationData encode_corpora(const std::vector<LabelledCorpus>& corpora, const Labels& labels,
                                  const Tokenizer& tokenizer, int64_t context);

}  // namespace calque
