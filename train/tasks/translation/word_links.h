#pragma once
// Aligns the words of a marked text (data/markup/text_words.h) and of its translation, so that tags
// can be placed. train/tasks/translation/word_alignment.h aligns the words of a tokenizer.

#include <string_view>
#include <vector>

#include "data/markup/tag_placement.h"
#include "train/tasks/translation/run.h"

namespace calque {

// Whether the model has attention to align words with.
bool aligns_words(const TranslationRun& run);

// Each token of the translation is linked to the token of the source that it attends to most. Texts
// that are too long for that have even_links().
std::vector<WordLink> attended_links(const TranslationRun& run, std::string_view source,
                                     std::string_view target);

}  // namespace calque
