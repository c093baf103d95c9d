#pragma once
// The labelled texts of a config, and their labels, which a run keeps in RUN/labels.txt.

#include <string>
#include <vector>

#include "data/batches/stream.h"
#include "data/corpora/labelled_text.h"
#include "train/config/config.h"
#include "train/task.h"

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

// The classes, sorted by name; a class is its index.
using Labels = std::vector<std::string>;

// Throws an Error for fewer than two classes.
Labels labels_of(const std::vector<LabelledCorpus>& corpora);

inline constexpr SideFile labels_file = {&RunFolder::labels, "labels differ from those",
                                         "checkpoints with one list of labels"};
// A file with the same labels is not written again.
void save_labels(const Labels& labels, const RunFolder& run);
// Throws an Error if the file is missing, or is not a sorted list of two labels or more.
Labels load_labels(const RunFolder& run);

}  // namespace calque
