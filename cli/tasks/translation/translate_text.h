#pragma once
// calque translate --text: lines as paragraphs of sentences.

#include "cli/line_streams.h"
#include "cli/progress.h"
#include "train/tasks/translation/texts.h"

namespace calque {

// Translates all lines of the input, `buffer` lines at a time, and keeps their line ends.
void translate_text(LineInput& input, LineOutput& output, TextTranslator& translator,
                    int64_t buffer, const Progress& progress);

}  // namespace calque
