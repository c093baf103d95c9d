#pragma once
// How texts in the source language of a translator are divided into sentences: by its language, and
// by the abbreviations and sentence starters of its training text, which RUN/sentences.txt keeps.

#include "data/sentences/splitter.h"
#include "train/tasks/translation/run.h"

namespace calque {

// Learns from the first column of the training corpora and writes RUN/sentences.txt.
void learn_sentences(const Config& config, const RunFolder& run);

// Without RUN/sentences.txt, the built-in words of the language decide. Throws an Error for a
// damaged file.
SentenceSplitter source_splitter(const TranslationRun& run);

}  // namespace calque
