#pragma once
// calque translate --document: HTML, Markdown, subtitles and XLIFF.

#include <string>

#include "train/tasks/translation/document.h"

namespace calque {

// Writes the translated file to `output` ("-": standard output), which may be the same file, and
// its numbers to stderr.
void translate_document(const std::string& path, const std::string& output,
                        DocumentTranslator& translator);

}  // namespace calque
