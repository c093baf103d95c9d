#pragma once
// calque translate --po: fills a gettext catalogue.

#include <string>
#include <vector>

#include "train/tasks/translation/texts.h"

namespace calque {

// Writes the filled catalogue to `output` ("-": standard output), which may be the same file, and
// the numbers of messages to stderr. The memory are files of pairs: other catalogues, .tmx, .xlf.
void translate_po(const std::string& po, const std::vector<std::string>& memory,
                  const std::string& output, TextTranslator& translator);

}  // namespace calque
