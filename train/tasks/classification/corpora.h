#pragma once
// The labelled texts of a config, and their labels.

#include <string>
#include <vector>

#include "data/corpora/labelled_text.h"
#include "train/config/config.h"
#include "train/tasks/classes/text_classifier.h"

namespace calque {

using LabelledCorpus = ClassedCorpus<LabelledText>;

// For read_corpora(). The rows of a toy corpus are sentences labelled with their languages or, for
// listops, expressions labelled with their values.
void read_rows(const DataConfig& data, const CorpusConfig& corpus, Split split, LabelledCorpus& to);
std::vector<std::string> texts_of(const std::vector<LabelledCorpus>& corpora);

// Throws an Error for fewer than two classes.
Labels labels_of(const std::vector<LabelledCorpus>& corpora);

}  // namespace calque
