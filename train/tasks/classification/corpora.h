#pragma once
// The labelled texts of a config, and their labels.

#include <string>
#include <vector>

#include "data/batches/stream.h"
#include "data/corpora/labelled_text.h"
#include "train/config/config.h"
#include "train/tasks/classes/labels.h"

namespace calque {

struct LabelledCorpus {
  std::string name;
  CorpusShare share;
  std::vector<LabelledText> rows;
  int64_t skipped = 0;  // lines that are not UTF-8
};

// The rows of a toy corpus are sentences labelled with their languages or, for listops, expressions
// labelled with their values.
LabelledCorpus read_labelled_corpus(const CorpusConfig& corpus, Split split, InvalidText invalid);
std::vector<LabelledCorpus> read_labelled_corpora(const Corpora& corpora, Split split,
                                                  InvalidText invalid);

// Throws an Error for fewer than two classes.
Labels labels_of(const std::vector<LabelledCorpus>& corpora);

}  // namespace calque
